export type RangeSizer = {
  /** How many blocks to ask for in one call. */
  readonly size: number
  succeeded(logs: number): void
  refused(): void
}

// What most providers allow; those that allow less say so at the first call.
const sizeAtStart = 2_000
// Where blocks are empty, ranges grow until one call covers days.
const sizeMax = 100_000
// About 8 MB of answer and a second of storing: more gains nothing and makes the next stop wait.
const logsWanted = 10_000
// A limit that was met is taken to be one for a while: to try it again at each success would lose every other call.
const successesUntilRetry = 16

/** Finds how many blocks a call may ask for: halves at a refusal, doubles at success. */
export function createRangeSizer(): RangeSizer {
  let size = sizeAtStart
  let limit = sizeMax
  let successes = 0
  return {
    get size() {
      return size
    },
    succeeded: (logs) => {
      successes += 1
      if (successes % successesUntilRetry === 0) limit = Math.min(limit * 2, sizeMax)
      if (logs > logsWanted) size = Math.max(1, size >> 1)
      else if (logs < logsWanted / 2) size = Math.min(size * 2, limit)
    },
    refused: () => {
      successes = 0
      size = Math.max(1, size >> 1)
      limit = size
    },
  }
}
