import { useEffect, useState } from 'preact/hooks'
import { onWake } from './wake.ts'

/** Last value, and the error if the latest request failed. */
export type Polled<Value> = { readonly value: Value | undefined; readonly error: unknown }

type Answer<Value> = Polled<Value> & {
  /** When the value came, by this browser's clock. 0 without a value. */
  readonly atMs: number
}

const nothing = { value: undefined, error: undefined, atMs: 0 }

// A request that takes longer than this is replaced by the next one.
const patienceMs = 30_000

/**
 * Requests at once and then at each interval while the page is visible, one request at a time. `wake` and a page that is
 * shown again replace a request that still runs. A changed `request` discards the last value. `refresh` requests again at
 * once, for example after a change.
 */
export function usePolled<Value>(
  request: ((signal: AbortSignal) => Promise<Value>) | undefined,
  intervalMs: number,
): Answer<Value> & { readonly refresh: () => void } {
  const [polled, setPolled] = useState<Answer<Value> & { readonly request?: unknown }>(nothing)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (!request) return undefined
    let running: { readonly controller: AbortController; readonly atMs: number } | undefined
    const run = () => {
      if (document.visibilityState === 'hidden') return
      running?.controller.abort()
      const controller = new AbortController()
      running = { controller, atMs: Date.now() }
      const settle = (change: Partial<Answer<Value>>) => {
        if (controller.signal.aborted) return
        running = undefined
        setPolled((known) => ({ ...(known.request === request ? known : nothing), ...change, request }))
      }
      request(controller.signal).then(
        (value) => settle({ value, error: undefined, atMs: Date.now() }),
        (error: unknown) => settle({ error }),
      )
    }
    run()
    const timer = setInterval(() => {
      if (!running || Date.now() - running.atMs >= patienceMs) run()
    }, intervalMs)
    const stopListening = onWake(run)
    return () => {
      clearInterval(timer)
      stopListening()
      running?.controller.abort()
    }
  }, [request, intervalMs, turn])
  return { ...(polled.request === request ? polled : nothing), refresh: () => setTurn((count) => count + 1) }
}
