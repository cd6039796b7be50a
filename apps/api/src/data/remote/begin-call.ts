import type { TallystickError } from '@tallystick/core'
import { createAbort, type StopSignal } from '@tallystick/core/signal/create-abort'
import type { SubgraphAnswer } from '../chain-subgraph.ts'
import { type Phase, slowError } from './transport-error.ts'

/**
 * Why a call is ended before it has an answer. `slow`: it had its time. `outrun`: another upstream was faster.
 * `cancelled`: nobody waits for it any more.
 */
export type Ending = 'slow' | 'outrun' | 'cancelled'

export type CallOutcome =
  | { readonly kind: 'answered'; readonly answer: SubgraphAnswer }
  | { readonly kind: 'failed'; readonly error: TallystickError }
  | { readonly kind: 'ended'; readonly ending: Exclude<Ending, 'slow'>; readonly phase: Phase }

/** One query on its way to one upstream. */
export type Call = {
  /** Never rejects. */
  readonly outcome: Promise<CallOutcome>
  readonly phase: Phase
  /** Ends it at once, whatever the connection is doing. */
  end(ending: Ending): void
}

/** Begins some work, and makes sure that it is over as soon as it is ended. The work throws nothing but our own errors. */
export function beginCall(
  work: (handles: { readonly signal: StopSignal; readonly onHeaders: () => void }) => Promise<SubgraphAnswer>,
): Call {
  const { signal, abort } = createAbort()
  let phase: Phase = 'headers'
  let settle: (outcome: CallOutcome) => void = () => undefined
  const outcome = new Promise<CallOutcome>((resolve) => {
    settle = resolve
  })
  const onHeaders = () => {
    phase = 'body'
  }
  // Once it is ended, what the work comes to is of no interest.
  work({ signal, onHeaders }).then(
    (answer) => settle({ kind: 'answered', answer }),
    (error: TallystickError) => settle({ kind: 'failed', error }),
  )
  return {
    outcome,
    get phase() {
      return phase
    },
    end: (ending) => {
      settle(ending === 'slow' ? { kind: 'failed', error: slowError(phase) } : { kind: 'ended', ending, phase })
      abort()
    },
  }
}
