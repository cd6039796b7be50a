import type { TallystickError } from '@tallystick/core'
import { type UpstreamFailure, upstreamFailures } from '../chain-subgraph.ts'
import type { CallOutcome } from './begin-call.ts'
import type { CircuitEvent } from './circuit.ts'

/** What can come of a call to an upstream, in the words of the metrics. */
export const callResults = ['ok', 'query_rejected', 'cancelled', ...upstreamFailures] as const
export type CallResult = (typeof callResults)[number]

export function resultOf(outcome: CallOutcome): CallResult {
  if (outcome.kind === 'answered') return 'ok'
  if (outcome.kind === 'ended') return 'cancelled'
  return failureOf(outcome.error) ?? 'query_rejected'
}

/** How the upstream failed; undefined for a query that it rejected. */
export function failureOf({ details }: TallystickError): UpstreamFailure | undefined {
  return details?.['failure'] as UpstreamFailure | undefined
}

/** What a call says about its upstream; undefined if nothing. */
export function circuitEventOf(outcome: CallOutcome): CircuitEvent | undefined {
  if (outcome.kind === 'answered') return { kind: 'succeeded' }
  if (outcome.kind === 'ended') {
    // A server that hangs is outrun each time, and would cost every caller the wait.
    return outcome.ending === 'outrun' && outcome.phase === 'headers' ? { kind: 'failed' } : undefined
  }
  const { error } = outcome
  switch (failureOf(error)) {
    case undefined:
      return { kind: 'succeeded' }
    // The query is ahead of its time or asks for too much, or we have sent too many.
    case 'behind':
    case 'too_large':
    case 'overloaded':
      return undefined
    case 'busy':
    case 'http_status':
      if (error.retryAfterSeconds === undefined) return { kind: 'failed' }
      return { kind: 'sent_away', forMs: error.retryAfterSeconds * 1000 }
    default:
      return { kind: 'failed' }
  }
}
