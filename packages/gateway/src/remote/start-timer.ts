/** Calls back once after a delay. Returns a function that cancels it. */
export type StartTimer = (callback: () => void, delayMs: number) => () => void

/** Real time. A timer does not keep the process running. */
export const startTimer: StartTimer = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}
