/**
 * Returns a function that runs `work` one at a time. A call during a run starts one more run after it. All calls before that
 * run begins share it.
 */
export function runOneAtATime(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  /** Run that has not begun. */
  let next: Promise<void> | undefined
  return () => {
    next ??= last
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return work()
      })
    last = next
    return next
  }
}

/** Returns a function that runs `work`, where a call during a run joins it, and one that waits for the run in progress. */
export function joinRuns(work: () => Promise<void>) {
  let running: Promise<void> | undefined
  return {
    run: (): Promise<void> => {
      running ??= work().finally(() => {
        running = undefined
      })
      return running
    },
    settle: async (): Promise<void> => running,
  }
}
