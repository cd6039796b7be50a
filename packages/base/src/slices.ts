import { setImmediate as nextTurn } from 'node:timers/promises'

// A request waits for at most one slice. Under overload a slice takes half as long as a turn of the event loop, so that the
// work ends in time. Half, because two works in slices are in each other's turns and would make each other grow.
const [shortestMs, longestMs] = [0.5, 5]

/** Divides synchronous work into slices: of 0.5 ms, and under overload half as long as the turns of other work in between. */
export type Slices = {
  /** Returns whether the slice is used up. */
  readonly isOver: () => boolean
  /** Lets the event loop serve everything that waits, and begins the next slice. */
  readonly next: () => Promise<void>
}

/** Begins the first slice of some work. */
export function beginSlices(): Slices {
  let endsAtMs = performance.now() + shortestMs
  return {
    isOver: () => performance.now() >= endsAtMs,
    next: async () => {
      const endedAtMs = performance.now()
      await nextTurn()
      const nowMs = performance.now()
      endsAtMs = nowMs + Math.min(longestMs, Math.max(shortestMs, (nowMs - endedAtMs) / 2))
    },
  }
}

/** Calls `work` for each item, in slices. Items that are added meanwhile may be included. */
export async function inSlices<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  const slices = beginSlices()
  for (const item of items) {
    work(item)
    if (slices.isOver()) await slices.next()
  }
}
