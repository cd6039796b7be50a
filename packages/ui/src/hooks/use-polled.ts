import { useEffect, useState } from 'preact/hooks'

/** Last value, and the error if the latest request failed. */
export type Polled<Value> = { readonly value: Value | undefined; readonly error: unknown }

const nothing = { value: undefined, error: undefined }

/** Requests at once and then at each interval while the page is visible. A changed `request` discards the last value. */
export function usePolled<Value>(
  request: ((signal: AbortSignal) => Promise<Value>) | undefined,
  intervalMs: number,
): Polled<Value> {
  const [polled, setPolled] = useState<Polled<Value> & { readonly request?: unknown }>(nothing)
  useEffect(() => {
    if (!request) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const run = () => {
      if (document.visibilityState === 'hidden') return
      request(signal).then(
        (value) => setPolled({ request, value, error: undefined }),
        (error: unknown) => {
          if (!signal.aborted)
            setPolled((known) => ({ request, value: known.request === request ? known.value : undefined, error }))
        },
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
  }, [request, intervalMs])
  return polled.request === request ? polled : nothing
}
