/** The length of an entry in a bundle has two bytes. */
export const entryBytesMax = 65_535

/** Returns a bundle: each entry with its length before it, two bytes, big-endian (C2SP tlog-tiles). */
export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  let at = 0
  for (const entry of entries) {
    if (entry.length > entryBytesMax)
      throw new RangeError(`an entry has ${entry.length} bytes, more than ${entryBytesMax}`)
    bundle.set([entry.length >> 8, entry.length & 255], at)
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** Returns the entries of a bundle, or undefined if its lengths do not add up. */
export function decodeBundle(bundle: Uint8Array): readonly Uint8Array[] | undefined {
  const entries: Uint8Array[] = []
  let at = 0
  while (at < bundle.length) {
    const [high, low] = bundle.subarray(at, at + 2)
    if (high === undefined || low === undefined) return undefined
    const end = at + 2 + high * 256 + low
    if (end > bundle.length) return undefined
    entries.push(bundle.slice(at + 2, end))
    at = end
  }
  return entries
}
