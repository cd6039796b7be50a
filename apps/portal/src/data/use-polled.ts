import { useEffect, useState } from 'preact/hooks'

/** The last answer, and what failed since. */
export type Polled<Value> = { readonly value: Value | undefined; readonly error: unknown }

const nothing = { value: undefined, error: undefined }

/** Asks at once, then again and again while somebody looks. `ask` undefined asks nothing; another one begins anew. */
export function usePolled<Value>(
  ask: ((signal: AbortSignal) => Promise<Value>) | undefined,
  intervalMs: number,
): Polled<Value> {
  const [polled, setPolled] = useState<Polled<Value> & { readonly ask?: unknown }>(nothing)
  useEffect(() => {
    if (!ask) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const run = () => {
      if (document.visibilityState === 'hidden') return
      ask(signal).then(
        (value) => setPolled({ ask, value, error: undefined }),
        (error: unknown) => {
          if (!signal.aborted)
            setPolled((known) => ({ ask, value: known.ask === ask ? known.value : undefined, error }))
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
  }, [ask, intervalMs])
  return polled.ask === ask ? polled : nothing
}
