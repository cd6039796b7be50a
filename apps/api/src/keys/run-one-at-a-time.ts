/**
 * Returns a function that runs `work` one at a time. A call during a run starts one more run after it. All calls during a
 * run share that next run.
 */
export function runOneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = () => {
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (!running) return start()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}
