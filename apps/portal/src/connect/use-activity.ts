import { useEffect, useReducer, useRef } from 'preact/hooks'
import { type Activity, type ActivityEvent, type ActivityStep, describeFailure, reduceActivity } from './activity.ts'
import type { Provider } from './provider/provider.ts'
import { finalDepth, type ReceiptState, watchReceipt } from './watch-receipt.ts'

/** What a running action gets. */
export type ActionTools = {
  readonly signal: AbortSignal
  readonly onStep: (step: ActivityStep, hash?: string) => void
  readonly onLate: (hash: string) => void
}

export type ActionOutcome<Result> = {
  readonly hash: string
  readonly result: Result
  readonly provider: Provider
  /** Reads the result again after a reorganisation moved the transaction to another block. */
  readonly readAgain?: (() => Promise<Result>) | undefined
}

export type RunningActivity<Result> = ReturnType<typeof useActivity<Result>>

const lookEveryMs = 2_000

/** Runs one action at a time and then watches its transaction. */
export function useActivity<Result>() {
  const [activity, dispatch] = useReducer<Activity<Result>, ActivityEvent<Result>>(reduceActivity, { phase: 'idle' })
  const running = useRef<AbortController>(undefined)
  const watched = useRef<Pick<ActionOutcome<Result>, 'provider' | 'readAgain'>>(undefined)
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
      (outcome) => {
        watched.current = outcome
        tell({ kind: 'mined', hash: outcome.hash, result: outcome.result })
      },
      (error: unknown) => tell(describeFailure(error, controller.signal)),
    )
  }
  const hash = activity.phase === 'mined' || activity.phase === 'reorganised' ? activity.hash : undefined
  useEffect(() => {
    const outcome = watched.current
    if (hash === undefined || !outcome) return undefined
    const controller = new AbortController()
    void watchOutcome(outcome, { hash, signal: controller.signal, dispatch })
    return () => controller.abort()
  }, [hash])
  return {
    activity,
    start,
    /** Stops waiting for the wallet. */
    stop: () => running.current?.abort(),
    reset: () => dispatch({ kind: 'reset' }),
  }
}

type WatchOptions<Result> = {
  readonly hash: string
  readonly signal: AbortSignal
  readonly dispatch: (event: ActivityEvent<Result>) => void
}

/** Watches the transaction of an action, and reads its result again if its block changes. */
async function watchOutcome<Result>(
  { provider, readAgain }: Pick<ActionOutcome<Result>, 'provider' | 'readAgain'>,
  { hash, signal, dispatch }: WatchOptions<Result>,
): Promise<void> {
  let block: string | undefined
  const onState = (state: ReceiptState) => {
    dispatch({ kind: 'receipt', hash, state })
    if (state.kind !== 'mined') return
    if (block !== undefined && block !== state.blockHash) {
      readAgain?.().then(
        (result) => dispatch({ kind: 'moved', hash, result }),
        () => undefined,
      )
    }
    block = state.blockHash
  }
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs))
  await watchReceipt(provider, { hash, signal, wait, onState })
}

/** Returns whether a reorganisation of the transaction has become unlikely. */
export function isFinal(activity: Activity<unknown>): boolean {
  return activity.phase === 'mined' && activity.depth >= finalDepth
}
