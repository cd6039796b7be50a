/** Source of repeatable random choices. */
export type Random = ReturnType<typeof createRandom>

/** Creates random choices from a seed: mulberry32, which is small and passes the usual tests for 32 bits. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    /** Returns a number of [0, 1). */
    next,
    /** Returns an integer from `min` to `max`, both included. */
    integer,
    /** Returns true with a probability. */
    chance: (probability: number) => next() < probability,
    /** Returns one of the items. There must be one. */
    pick: <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)] as Item,
  }
}
