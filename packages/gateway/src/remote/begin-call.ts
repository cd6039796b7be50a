import { createAbort, type StopSignal } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import type { SubgraphAnswer } from '../chain-subgraph.ts'
import { deadlineReached, superseded } from '../deadline.ts'
import { type Phase, slowError } from './transport-error.ts'

/**
 * Reason to end a call without an answer. `slow`: it timed out. `superseded`: another upstream answered first.
 * `cancelled`: the caller has gone.
 */
type Ending = 'slow' | 'superseded' | 'cancelled'

export type CallOutcome =
  | { readonly kind: 'answered'; readonly answer: SubgraphAnswer }
  | { readonly kind: 'failed'; readonly error: TallystickError }
  | { readonly kind: 'ended'; readonly ending: Exclude<Ending, 'slow'>; readonly phase: Phase }

/** Running query to one upstream. */
export type Call = {
  /** Never rejects. */
  readonly outcome: Promise<CallOutcome>
  readonly phase: Phase
  /** Settles the outcome at once, whatever the state of the connection. */
  end(ending: Ending): void
}

const reasons = { slow: deadlineReached, superseded, cancelled: undefined } as const

/** Starts a call that settles as soon as it is ended. `work` throws only `TallystickError`. */
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
  // After `end`, the result of the work is ignored.
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
      abort(reasons[ending])
    },
  }
}
