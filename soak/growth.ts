/** What a process holds, measured after a garbage collection and without load. */
export type Gauge = {
  readonly heapBytes: number
  readonly rssBytes: number
  /** Open file descriptors: sockets, files, pipes. */
  readonly descriptors: number
  /** What keeps Node's event loop busy, by kind. */
  readonly resources: Readonly<Record<string, number>>
}

// What a run keeps for good reasons: compiled code, prepared statements, answers in their bounded caches.
const heapGrowthMax = 32 * 1024 * 1024
// Idle connections of pools, which are closed and opened as they are needed.
const descriptorGrowthMax = 12
const resourceGrowthMax = 12

/** What grew more than it may between two measurements of one process. */
export function findGrowth({ before, after }: { readonly before: Gauge; readonly after: Gauge }): readonly string[] {
  const found: string[] = []
  const heapGrowth = after.heapBytes - before.heapBytes
  if (heapGrowth > heapGrowthMax)
    found.push(`heap ${formatMegabytes(before.heapBytes)} to ${formatMegabytes(after.heapBytes)}`)
  if (after.descriptors - before.descriptors > descriptorGrowthMax) {
    found.push(`descriptors ${before.descriptors} to ${after.descriptors}`)
  }
  for (const [kind, count] of Object.entries(after.resources)) {
    const first = before.resources[kind] ?? 0
    if (count - first > resourceGrowthMax) found.push(`${kind} ${first} to ${count}`)
  }
  return found
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
