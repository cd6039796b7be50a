import { useEffect, useState } from 'preact/hooks'

/** Last value, and the error if the latest request failed. */
export type Polled<Value> = { readonly value: Value | undefined; readonly error: unknown }

type Answer<Value> = Polled<Value> & {
  /** When the value came, by this browser's clock. 0 without a value. */
  readonly atMs: number
}

const nothing = { value: undefined, error: undefined, atMs: 0 }

/**
 * Requests at once and then at each interval while the page is visible. A changed `request` discards the last value.
 * `refresh` requests again at once, for example after a change.
 */
export function usePolled<Value>(
  request: ((signal: AbortSignal) => Promise<Value>) | undefined,
  intervalMs: number,
): Answer<Value> & { readonly refresh: () => void } {
  const [polled, setPolled] = useState<Answer<Value> & { readonly request?: unknown }>(nothing)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (!request) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const settle = (change: Partial<Answer<Value>>) => {
      if (signal.aborted) return
      setPolled((known) => ({ ...(known.request === request ? known : nothing), ...change, request }))
    }
    const run = () => {
      if (document.visibilityState === 'hidden') return
      request(signal).then(
        (value) => settle({ value, error: undefined, atMs: Date.now() }),
        (error: unknown) => settle({ error }),
      )
    }
    run()
    const timer = setInterval(run, intervalMs)
    document.addEventListener('visibilitychange', run)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', run)
      controller.abort()
    }
  }, [request, intervalMs, turn])
  return { ...(polled.request === request ? polled : nothing), refresh: () => setTurn((count) => count + 1) }
}
