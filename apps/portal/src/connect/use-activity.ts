import { useEffect, useReducer, useRef } from 'preact/hooks'
import { type Activity, type ActivityEvent, type ActivityStep, reduceActivity } from './activity.ts'
import type { Provider } from './provider.ts'
import { finalDepth, watchReceipt } from './watch-receipt.ts'

/** What a running action gets. */
export type ActionTools = {
  readonly signal: AbortSignal
  readonly onStep: (step: ActivityStep, hash?: string) => void
  readonly onLate: (hash: string) => void
}

export type ActionOutcome<Result> = { readonly hash: string; readonly result: Result; readonly provider: Provider }

export type RunningActivity<Result> = {
  readonly activity: Activity<Result>
  start(action: (tools: ActionTools) => Promise<ActionOutcome<Result>>): void
  /** Stops waiting for the wallet. */
  stop(): void
  reset(): void
}

const lookEveryMs = 2_000

/** Runs one action at a time and then watches its transaction. */
export function useActivity<Result>(): RunningActivity<Result> {
  const [activity, dispatch] = useReducer<Activity<Result>, ActivityEvent<Result>>(reduceActivity, { phase: 'idle' })
  const running = useRef<AbortController>(undefined)
  const watched = useRef<Provider>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = (action: (tools: ActionTools) => Promise<ActionOutcome<Result>>) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const tell = (event: ActivityEvent<Result>) => {
      if (running.current === controller) dispatch(event)
    }
    const tools: ActionTools = {
      signal: controller.signal,
      onStep: (step, hash) => tell({ kind: 'step', step, hash }),
      onLate: (hash) => tell({ kind: 'late', hash }),
    }
    tell({ kind: 'step', step: 'check' })
    action(tools).then(
      ({ hash, result, provider }) => {
        watched.current = provider
        tell({ kind: 'mined', hash, result })
      },
      (error: unknown) => tell(describeFailure(error, controller.signal)),
    )
  }
  const hash = activity.phase === 'mined' || activity.phase === 'reorganised' ? activity.hash : undefined
  useEffect(() => {
    const provider = watched.current
    if (hash === undefined || !provider) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const wait = () => new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs))
    void watchReceipt(provider, { hash, signal, wait, onState: (state) => dispatch({ kind: 'receipt', hash, state }) })
    return () => controller.abort()
  }, [hash])
  return {
    activity,
    start,
    stop: () => running.current?.abort(),
    reset: () => dispatch({ kind: 'reset' }),
  }
}

function describeFailure<Result>(error: unknown, signal: AbortSignal): ActivityEvent<Result> {
  const { code, hash } = error as { readonly code?: unknown; readonly hash?: string | undefined }
  if (signal.aborted && hash === undefined) return { kind: 'stopped' }
  return code === 'note_expired' ? { kind: 'expired', hash } : { kind: 'failed', error, hash }
}

/** Returns whether a reorganisation of the transaction has become unlikely. */
export function isFinal(activity: Activity<unknown>): boolean {
  return activity.phase === 'mined' && activity.depth >= finalDepth
}
