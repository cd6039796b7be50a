export type BoundedCache<Value> = {
  find(key: string): Value | undefined
  /** Keeps a value until others have pushed it out; one that is larger than all the room there is, not at all. */
  keep(key: string, entry: { readonly value: Value; readonly bytes: number }): void
  clear(): void
  readonly count: number
  readonly bytes: number
}

export type CacheBounds = { readonly bytesMax: number; readonly countMax: number }

/** Values by key. What was not asked for the longest goes first when there are too many or they are too large. */
export function createBoundedCache<Value>({ bytesMax, countMax }: CacheBounds): BoundedCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>()
  let total = 0
  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get count() {
      return entries.size
    },
    get bytes() {
      return total
    },
    find: (key) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      // A Map keeps the order of insertion, so the first key is the one that was used longest ago.
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    keep: (key, entry) => {
      drop(key)
      if (entry.bytes > bytesMax) return
      entries.set(key, entry)
      total += entry.bytes
      for (const oldest of entries.keys()) {
        if (entries.size <= countMax && total <= bytesMax) break
        drop(oldest)
      }
    },
    clear: () => {
      entries.clear()
      total = 0
    },
  }
}
