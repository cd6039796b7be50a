import { expect, test } from 'vitest'
import { queryRejected, upstreamError, upstreamFailures } from '../chain-subgraph.ts'
import { circuitEventOf, resultOf } from './judge-call.ts'

const failed = (failure: (typeof upstreamFailures)[number], retryAfterSeconds?: number) =>
  ({ kind: 'failed', error: upstreamError({ failure, message: 'x', retryAfterSeconds }) }) as const

test('default: an answer and a rejected query speak for the upstream', () => {
  const answered = { kind: 'answered', answer: { data: '{}', errors: [], head: undefined } } as const
  const rejected = { kind: 'failed', error: queryRejected('no') } as const
  expect([answered, rejected].map(circuitEventOf)).toEqual([{ kind: 'succeeded' }, { kind: 'succeeded' }])
  expect([answered, rejected].map(resultOf)).toEqual(['ok', 'query_rejected'])
})

test('behavior: which failures count, and which do not', () => {
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

test('behavior: where the upstream says how long, we are sent away', () => {
  expect(circuitEventOf(failed('http_status', 2))).toEqual({ kind: 'sent_away', forMs: 2_000 })
  expect(circuitEventOf(failed('busy', 0))).toEqual({ kind: 'sent_away', forMs: 0 })
})

test('behavior: being outrun counts only where nothing had come; being cancelled never', () => {
  const ended = (ending: 'outrun' | 'cancelled', phase: 'headers' | 'body') =>
    circuitEventOf({ kind: 'ended', ending, phase })?.kind
  expect(ended('outrun', 'headers')).toBe('failed')
  expect(ended('outrun', 'body')).toBeUndefined()
  expect(ended('cancelled', 'headers')).toBeUndefined()
})
