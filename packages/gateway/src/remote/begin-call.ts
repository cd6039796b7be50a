import { createAbort, type StopSignal, type Time } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import {
  deadlineReached,
  type SubgraphAnswer,
  superseded,
  type UpstreamFailure,
  upstreamFailures,
} from '../chain-subgraph.ts'
import type { CircuitEvent } from './circuit.ts'
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

/** Calls `onOutcome` before anybody else sees the outcome of a call. */
export function observeCall(call: Call, onOutcome: (outcome: CallOutcome) => void): Call {
  const outcome = call.outcome.then((settled) => {
    onOutcome(settled)
    return settled
  })
  return {
    outcome,
    get phase() {
      return call.phase
    },
    end: call.end,
  }
}

// A server that needs longer for the head query would not answer callers' queries in time.
const headTimeoutMs = 5_000

/** Waits for the outcome of a query of the head. Ends it after a time limit. */
export async function finishHeadQuery(
  call: Call,
  { time, timeoutMs }: { readonly time: Pick<Time, 'setTimer'>; readonly timeoutMs: number },
): Promise<CallOutcome> {
  const wait = { name: 'subgraph head query', ms: Math.min(timeoutMs, headTimeoutMs) }
  const timer = time.setTimer(wait, () => call.end('slow'))
  const outcome = await call.outcome
  timer.stop()
  return outcome
}

/** Results of a call to an upstream, as the metrics name them. */
export const callResults = ['ok', 'query_rejected', 'cancelled', ...upstreamFailures] as const
export type CallResult = (typeof callResults)[number]

export function resultOf(outcome: CallOutcome): CallResult {
  if (outcome.kind === 'answered') return 'ok'
  if (outcome.kind === 'ended') return 'cancelled'
  return failureOf(outcome.error) ?? 'query_rejected'
}

/** Returns how the upstream failed, or undefined if it rejected the query. */
export function failureOf({ details }: TallystickError): UpstreamFailure | undefined {
  return details?.['failure'] as UpstreamFailure | undefined
}

/** Returns the circuit event of a call, or undefined if the outcome says nothing about the upstream. */
export function circuitEventOf(outcome: CallOutcome): CircuitEvent | undefined {
  if (outcome.kind === 'answered') return { kind: 'succeeded' }
  if (outcome.kind === 'ended') {
    // Counts as a failure, because a server that hangs is superseded each time and delays every caller.
    return outcome.ending === 'superseded' && outcome.phase === 'headers' ? { kind: 'failed' } : undefined
  }
  const { error } = outcome
  switch (failureOf(error)) {
    case undefined:
      return { kind: 'succeeded' }
    // Caused by the query, or by too many queries of this service.
    case 'behind':
    case 'too_large':
    case 'overloaded':
      return undefined
    case 'busy':
    case 'http_status':
      if (error.retryAfterSeconds === undefined) return { kind: 'failed' }
      return { kind: 'throttled', forMs: error.retryAfterSeconds * 1000 }
    default:
      return { kind: 'failed' }
  }
}
