export type BoundedCache<Value> = {
  find(key: string): Value | undefined
  /** Keeps a value until others have pushed it out; one that is larger than all the room there is, not at all. */
  keep(key: string, value: Value, bytes?: number): void
  clear(): void
  readonly count: number
  readonly bytes: number
}

export type CacheBounds = {
  /** At least two. */
  readonly countMax: number
  /** Of what those who keep something say it takes. */
  readonly bytesMax?: number
}

/**
 * Values by key, in two generations. What is kept or found is young; when the young ones fill half of the room they
 * become the old ones, and what nobody has asked for since the last time goes. So at least half of the room holds what
 * was used last, and nothing is ever looked for.
 *
 * Not one Map in the order of use, whose first key is the next to go: each key that went leaves a gap, the first is found
 * by walking over all of them, and with 10,000 keys that took longer than all else that is done for a query.
 */
export function createBoundedCache<Value>({
  countMax,
  bytesMax = Number.POSITIVE_INFINITY,
}: CacheBounds): BoundedCache<Value> {
  let young = createGeneration<Value>()
  let old = createGeneration<Value>()

  const keep = (key: string, entry: Entry<Value>) => {
    young.remove(key)
    old.remove(key)
    if (entry.bytes > bytesMax) return
    if (young.count >= Math.floor(countMax / 2) || young.bytes + entry.bytes > bytesMax / 2) {
      old = young
      young = createGeneration()
    }
    if (old.bytes + young.bytes + entry.bytes > bytesMax) old = createGeneration()
    young.add(key, entry)
  }
  return {
    get count() {
      return young.count + old.count
    },
    get bytes() {
      return young.bytes + old.bytes
    },
    find: (key) => {
      const known = young.find(key)
      if (known) return known.value
      const aging = old.remove(key)
      if (aging) keep(key, aging)
      return aging?.value
    },
    keep: (key, value, bytes = 0) => keep(key, { value, bytes }),
    clear: () => {
      young = createGeneration()
      old = createGeneration()
    },
  }
}

type Entry<Value> = { readonly value: Value; readonly bytes: number }

function createGeneration<Value>() {
  const entries = new Map<string, Entry<Value>>()
  let bytes = 0
  return {
    get count() {
      return entries.size
    },
    get bytes() {
      return bytes
    },
    find: (key: string) => entries.get(key),
    add: (key: string, entry: Entry<Value>) => {
      entries.set(key, entry)
      bytes += entry.bytes
    },
    remove: (key: string) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      bytes -= entry.bytes
      return entry
    },
  }
}
