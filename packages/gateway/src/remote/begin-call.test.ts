import { expect, test } from 'vitest'
import { queryRejected, upstreamError, upstreamFailures } from '../chain-subgraph.ts'
import { circuitEventOf, resultOf } from './begin-call.ts'

const failed = (failure: (typeof upstreamFailures)[number], retryAfterSeconds?: number) =>
  ({ kind: 'failed', error: upstreamError({ failure, message: 'x', retryAfterSeconds }) }) as const

test('default: an answer and a rejected query count as successes of the upstream', () => {
  const answered = { kind: 'answered', answer: { data: '{}', errors: [], head: undefined, source: 'remote' } } as const
  const rejected = { kind: 'failed', error: queryRejected('no') } as const
  expect([answered, rejected].map(circuitEventOf)).toEqual([{ kind: 'succeeded' }, { kind: 'succeeded' }])
  expect([answered, rejected].map(resultOf)).toEqual(['ok', 'query_rejected'])
})

test('behavior: the circuit counts failures of the upstream only', () => {
  const kinds = upstreamFailures.map((failure) => [failure, circuitEventOf(failed(failure))?.kind ?? 'nothing'])
  expect(Object.fromEntries(kinds)).toMatchInlineSnapshot(`
    {
      "bad_indexers": "failed",
      "behind": "nothing",
      "busy": "failed",
      "circuit_open": "failed",
      "dns": "failed",
      "http_status": "failed",
      "internal": "failed",
      "malformed": "failed",
      "no_indexers": "failed",
      "not_found": "failed",
      "not_json": "failed",
      "overloaded": "nothing",
      "refused": "failed",
      "reset": "failed",
      "slow_body": "failed",
      "slow_headers": "failed",
      "slow_query": "failed",
      "tls": "failed",
      "too_large": "nothing",
      "truncated": "failed",
      "unauthorized": "failed",
      "wrong_type": "failed",
    }
  `)
})

test('behavior: a failure with Retry-After is throttling', () => {
  expect(circuitEventOf(failed('http_status', 2))).toEqual({ kind: 'throttled', forMs: 2_000 })
  expect(circuitEventOf(failed('busy', 0))).toEqual({ kind: 'throttled', forMs: 0 })
})

test('behavior: a superseded call counts only before its headers, a cancelled one never', () => {
  const ended = (ending: 'superseded' | 'cancelled', phase: 'headers' | 'body') =>
    circuitEventOf({ kind: 'ended', ending, phase })?.kind
  expect(ended('superseded', 'headers')).toBe('failed')
  expect(ended('superseded', 'body')).toBeUndefined()
  expect(ended('cancelled', 'headers')).toBeUndefined()
})
