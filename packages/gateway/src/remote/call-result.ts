import type { TallystickError } from '@tallystick/core'
import { type UpstreamFailure, upstreamFailures } from '../chain-subgraph.ts'
import type { CallOutcome } from './begin-call.ts'
import type { CircuitEvent } from './circuit.ts'

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
