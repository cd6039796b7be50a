/** Resolves after `ms`, or as soon as one of the signals is aborted. */
export function pause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    for (const signal of signals) signal.addEventListener('abort', finish)
    if (signals.some(({ aborted }) => aborted)) finish()
  })
}
