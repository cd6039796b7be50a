import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { AdminApi } from './admin-api.ts'

/** Last answer of a route, when it came, and the error if a later request failed. */
export type Data<Value> = {
  readonly value: Value | undefined
  /** Time of the answer by this browser's clock. */
  readonly atMs: number | undefined
  readonly error: Error | undefined
  /** Requests it again at once, for example after a change. */
  readonly refresh: () => void
}

type State<Value> = Omit<Data<Value>, 'refresh'> & { readonly source: string }

/** Requests a route at once and then at each interval, while the page is visible. */
export function useData<Value>(api: AdminApi, path: string, intervalMs: number): Data<Value> {
  const nothing = { value: undefined, atMs: undefined, error: undefined, source: path }
  const [state, setState] = useState<State<Value>>(nothing)
  const running = useRef<AbortController | undefined>(undefined)
  const refresh = useCallback(() => {
    // The answer of an earlier request would be older.
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    api.get<Value>(path, controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, atMs: Date.now(), error: undefined, source: path })
      },
      (error: Error) => {
        if (controller.signal.aborted) return
        setState((known) => ({ ...(known.source === path ? known : nothing), error, source: path }))
      },
    )
  }, [api, path])
  useEffect(() => {
    const run = () => {
      if (document.visibilityState === 'visible') refresh()
    }
    refresh()
    const timer = setInterval(run, intervalMs)
    document.addEventListener('visibilitychange', run)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', run)
      running.current?.abort()
    }
  }, [refresh, intervalMs])
  return { ...(state.source === path ? state : nothing), refresh }
}
