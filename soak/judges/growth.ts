/** Resource usage of a process after a garbage collection, without load. */
export type Gauge = {
  readonly heapBytes: number
  readonly rssBytes: number
  /** Open file descriptors: sockets, files, pipes. */
  readonly descriptors: number
  /** Active resources of Node's event loop, by kind. */
  readonly resources: Readonly<Record<string, number>>
}

// Legitimate growth: compiled code, prepared statements, results in bounded caches.
const heapGrowthMax = 32 * 1024 * 1024
// Idle pool connections, which are opened and closed on demand.
const descriptorGrowthMax = 12
const resourceGrowthMax = 12

/** Returns the values of a process that grew beyond their limit between two measurements. */
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
