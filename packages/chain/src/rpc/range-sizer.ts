export type RangeSizer = ReturnType<typeof createRangeSizer>

// Most providers allow this many. Others reject the first call.
const sizeAtStart = 2_000
// Ranges of empty blocks grow until one call covers days.
const sizeMax = 100_000
// A response of about 8 MB, stored within 1 s. More is not faster, and delays a stop. A quarter of it stores a quarter fewer
// events per second on the embedded database.
const logsWanted = 10_000
// A range that was rejected is not retried for a while. Retrying after each success would waste every other call.
const successesUntilRetry = 16

/** Creates a sizer of ranges: it halves the size when a call is rejected and doubles it after a success. */
export function createRangeSizer() {
  let size = sizeAtStart
  let limit = sizeMax
  let successes = 0
  return {
    /** Number of blocks to request in one call. */
    get size() {
      return size
    },
    succeeded: (logs: number) => {
      successes += 1
      if (successes % successesUntilRetry === 0) limit = Math.min(limit * 2, sizeMax)
      if (logs > logsWanted) size = Math.max(1, size >> 1)
      else if (logs < logsWanted / 2) size = Math.min(size * 2, limit)
    },
    /** Called with the number of blocks of a call that was rejected. It may have been smaller than `size`. */
    refused: (blocks: number) => {
      successes = 0
      size = Math.max(1, Math.min(size, blocks) >> 1)
      limit = size
    },
  }
}
