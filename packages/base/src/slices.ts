import { setImmediate as nextTurn } from 'node:timers/promises'

// Requests wait for at most one slice, and one turn of the event loop costs a tenth of it.
const sliceMs = 0.5

/** Divides synchronous work into slices of 0.5 ms. */
export type Slices = {
  /** Returns whether the slice is used up. */
  readonly isOver: () => boolean
  /** Lets the event loop serve everything that waits, and begins the next slice. */
  readonly next: () => Promise<void>
}

/** Begins the first slice of some work. */
export function beginSlices(): Slices {
  let endsAtMs = performance.now() + sliceMs
  return {
    isOver: () => performance.now() >= endsAtMs,
    next: async () => {
      await nextTurn()
      endsAtMs = performance.now() + sliceMs
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
