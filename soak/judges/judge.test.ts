import { describe, expect, test } from 'vitest'
import { faultKinds, type InjectedFault } from '../faults/fault.ts'
import { createAllowance } from './allowance.ts'
import { type Exchange, type JudgeContext, judge } from './judge.ts'
import { createLedger } from './ledger.ts'

// 2026-11-15T18:00:10-05:00, 10 s after the start of an evening period.
const nowMs = 1_794_783_610_000
const periodStart = 1_794_783_600n
const note = {
  maturity_timestamp: '1795323600',
  coupon: '369',
  note_started_at: '1794718800',
  signature_valid_after: String(periodStart - 1n),
  signature_valid_before: '1794805200',
  signature: { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 },
}
const notesBody = JSON.stringify({
  message: 'Notes.',
  data: [
    { ...note, chainid: '300' },
    { ...note, chainid: '324' },
  ],
})

const attempt = (exchange: Partial<Exchange>): Exchange => ({
  replica: 'a',
  run: 1,
  endpoint: '/notes',
  path: '/notes',
  chains: [300, 324],
  sentMs: 50_000,
  receivedMs: 50_010,
  times: [{ fromMs: nowMs, toMs: nowMs + 10 }],
  steps: [0],
  ...exchange,
})
const answered = (status: number, body: unknown, headers = {}) => ({
  answer: { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
})
const around = (faults: readonly InjectedFault[] = [], signableAt = 0): JudgeContext => ({
  ledger: createLedger(),
  faults,
  signableSinceMs: new Map([[periodStart, signableAt]]),
  served: new Set(),
})
const fault = (kind: InjectedFault['kind'], more: Partial<InjectedFault> = {}): InjectedFault => ({
  kind,
  replicas: ['a', 'b'],
  variant: 0,
  startedMs: 0,
  ...more,
})
const violationsOf = (exchange: Partial<Exchange>, context = around()) => judge(attempt(exchange), context).violations

describe('/notes', () => {
  test('default: valid notes have no violation with 200 and 304, and are new once', () => {
    const context = around()
    expect(judge(attempt(answered(200, notesBody)), context)).toEqual({
      violations: [],
      fresh: JSON.parse(notesBody).data,
    })
    expect(judge(attempt(answered(304, notesBody)), context)).toEqual({ violations: [], fresh: [] })
  })

  test('error: a 304 for a stale body is outside its window', () => {
    const times = [{ fromMs: nowMs - 60_000, toMs: nowMs - 50_000 }]
    expect(violationsOf({ ...answered(304, notesBody), times })).toHaveLength(1)
  })

  test('behavior: missing notes are a violation only if they could have been signed', () => {
    const missing = answered(500, { code: 'notes_unavailable', message: 'None.' }, { 'retry-after': '5' })
    expect(violationsOf(missing)).toEqual(['500 notes_unavailable although the notes could have been signed'])
    expect(violationsOf(missing, around([], 40_000))).toEqual([])
    expect(violationsOf(missing, around([fault('signer-outage')]))).toEqual([])
    expect(violationsOf(missing, around([fault('rpc-outage')]))).toHaveLength(1)
  })

  test.each(['signer-outage', 'postgres-stop', 'clock-ahead', 'fd-pressure', 'replica-kill'] as const)(
    'error: an internal error is one, %s or not',
    (kind) => {
      const failed = answered(500, { code: 'internal_error', message: 'Failed.' })
      expect(violationsOf(failed, around([fault(kind)]))).toEqual(['500 internal_error: Failed.'])
    },
  )

  test('error: a process keeps serving notes it has served, and a new process may not have them', () => {
    const missing = answered(500, { code: 'notes_unavailable', message: 'None.' }, { 'retry-after': '5' })
    const context = around([fault('database-restore')])
    const others = { ...missing, chains: [324] }
    expect(violationsOf(missing, context)).toEqual([])
    violationsOf({ ...answered(200, notesBody), chains: [300] }, context)
    expect(violationsOf(others, context)).toEqual([])
    violationsOf(answered(200, notesBody), context)
    expect(violationsOf(others, context)).toEqual(['500 notes_unavailable although they were served before'])
    expect(violationsOf({ ...others, run: 2 }, context)).toEqual([])
  })

  test('behavior: notes that the pool rejects are withheld, also if they were served before, and come back', () => {
    const missing = answered(500, { code: 'notes_unavailable', message: 'Withheld.' }, { 'retry-after': '5' })
    const changed = { ...fault('signer-changed'), startedMs: 45_000 }
    const context = around([changed])
    violationsOf(answered(200, notesBody), context)
    expect(violationsOf(missing, context)).toEqual([])
    expect(violationsOf(missing, { ...context, faults: [{ ...changed, endedMs: 47_000 }] })).toEqual([])
    expect(violationsOf(missing, { ...context, faults: [{ ...changed, endedMs: 9_000 }] })).toHaveLength(1)
    expect(
      violationsOf({ ...missing, chains: [324] }, { ...context, faults: [{ ...changed, variant: 1 }] }),
    ).toHaveLength(1)
    const [, other] = JSON.parse(notesBody).data
    const ofOne = (message: string) => answered(200, { message, data: [other] })
    const withheld = { ...context, faults: [{ ...changed, variant: 1 as const }] }
    expect(violationsOf(ofOne('Those of chain 300 are withheld.'), withheld)).toEqual([])
    expect(violationsOf(ofOne('None are available for chain 300.'), withheld)).toEqual([])
    expect(violationsOf(ofOne('Those of chain 300 are withheld.'), { ...context, faults: [] })).toHaveLength(1)
  })

  test('error: notes that the pool has rejected for 35 s are served', () => {
    expect(violationsOf(answered(200, notesBody), around([fault('signer-changed')]))).toEqual([
      'notes are served that the pool rejects, because it has another signer',
    ])
  })

  const boundaryMs = Number(periodStart) * 1000
  const at = (ms: number) => [{ fromMs: boundaryMs + ms, toMs: boundaryMs + ms + 10 }]
  const minutes = 60_000

  test.each([
    ['five minutes ahead, before its period', -2 * minutes, 5 * minutes, 'an early note'],
    ['a day ahead, before its period', -12 * 60 * minutes, 24 * 60 * minutes, 'an early note'],
    ['five minutes behind, after its period', 6 * 60 * minutes + minutes, -5 * minutes, 'a late note'],
  ])('error: a note served by a clock that is %s', (_, ms, stepMs, words) => {
    const [violation, ...more] = violationsOf({ ...answered(200, notesBody), times: at(ms), steps: [stepMs] })
    expect(violation).toContain(words)
    expect(more).toEqual([])
  })

  test.each([
    ['ahead, before the boundary', -2 * minutes, [5 * minutes], true],
    ['ahead, after the boundary', 2 * minutes, [5 * minutes], false],
    ['behind, after the boundary', 2 * minutes, [-5 * minutes], true],
    ['behind, later than it is wrong', 6 * minutes, [-5 * minutes], false],
    ['within the margin', 5 * minutes + 500, [-5 * minutes], true],
    ['ahead until just now, by what was measured then', 2 * minutes, [5 * minutes, 0], true],
    ['right', 2 * minutes, [0], false],
  ])('behavior: no notes with a clock that is %s', (_, ms, steps, isRight) => {
    const missing = answered(500, { code: 'notes_unavailable', message: 'None.' }, { 'retry-after': '5' })
    const violations = violationsOf({ ...missing, times: at(ms), steps })
    expect(violations).toHaveLength(isRight ? 0 : 1)
  })

  test('error: missing notes without Retry-After', () => {
    const missing = answered(500, { code: 'notes_unavailable', message: 'None.' })
    expect(violationsOf({ ...missing, times: at(-2 * minutes), steps: [5 * minutes] })).toEqual([
      '500 notes_unavailable without a Retry-After',
    ])
  })

  test('error: rejecting a valid key is a violation', () => {
    expect(violationsOf(answered(403, { code: 'invalid_api_key', message: 'No.' }))).toEqual([
      '403 invalid_api_key: No.',
    ])
  })
})

describe('/data', () => {
  const data = { endpoint: '/data', path: '/data' } as const
  const entry = (chain: number, code?: string) =>
    code ? { chain, data: null, errors: [{ message: 'm', code }] } : { chain, data: {} }

  test('default: both chains in the requested order', () => {
    expect(violationsOf({ ...data, ...answered(200, [entry(300), entry(324)]) })).toEqual([])
    expect(violationsOf({ ...data, ...answered(200, [entry(324), entry(300)]) })).toHaveLength(1)
  })

  test('behavior: a fault explains failures of its own chain only', () => {
    const failed = { ...data, ...answered(200, [entry(300), entry(324, 'upstream_failed')]) }
    expect(violationsOf(failed, around([fault('postgres-stop')]))).toEqual([])
    expect(violationsOf(failed, around([fault('upstream-500')]))).toHaveLength(1)
  })

  test('behavior: if all chains failed, each needs an explanation', () => {
    const chains = [300, 324].map((chain) => ({ chain, errors: [{ code: 'upstream_failed' }] }))
    const failed = { ...data, ...answered(502, { code: 'upstream_failed', message: 'm', details: { chains } }) }
    expect(violationsOf(failed, around([fault('postgres-stop')]))).toHaveLength(1)
    expect(violationsOf(failed, around([fault('postgres-stop'), fault('upstream-drip')]))).toEqual([])
  })

  test('error: a query is never rejected', () => {
    const failed = { ...data, ...answered(200, [entry(300, 'query_rejected'), entry(324)]) }
    expect(violationsOf(failed, around([fault('upstream-garbage')]))).toHaveLength(1)
  })
})

describe('/rate', () => {
  const rate = { endpoint: '/rate', path: '/rate' } as const
  const bodyOf = (coupon: string) => ({
    chains: [300, 324].map((id) => ({ chainid: String(id), fixedRates: [{ ...note, coupon }] })),
  })

  test('default: the coupons are those of the notes', () => {
    const context = around()
    judge(attempt(answered(200, notesBody)), context)
    expect(violationsOf({ ...rate, ...answered(200, bodyOf('369')) }, context)).toEqual([])
    expect(context.ledger.unservedRates()).toEqual([])
    expect(violationsOf({ ...rate, ...answered(200, bodyOf('370')) }, context)).toEqual([])
    expect(context.ledger.unservedRates()).toHaveLength(2)
  })

  test('error: a missing chain is a violation with every fault', () => {
    expect(violationsOf({ ...rate, ...answered(200, { chains: [] }) }, around([fault('upstream-hang')]))).toHaveLength(
      1,
    )
  })
})

describe('a limited key', () => {
  test('behavior: 429 is valid only beyond the limit and with Retry-After', () => {
    const refused = answered(429, { code: 'rate_limited' }, { 'retry-after': '30' })
    const allowance = createAllowance(3)
    expect(violationsOf({ ...refused, allowance })).toEqual(['rejected with 429 after 0 of 3 requests per minute'])
    expect(violationsOf({ ...refused, allowance }, around([fault('postgres-stop')]))).toEqual([])
    expect(violationsOf({ ...refused, allowance }, around([fault('database-restore')]))).toEqual([])
    violationsOf({ ...answered(200, notesBody), allowance })
    expect(violationsOf({ ...refused, allowance })).toEqual([])
    expect(violationsOf({ ...answered(429, {}), allowance })).toEqual(['429 without a Retry-After of 1 to 60'])
  })

  test.each(faultKinds)('error: 429 for a key that is below its limit, also with %s', (kind) => {
    const refused = answered(429, { code: 'rate_limited', message: 'm' }, { 'retry-after': '1' })
    expect(violationsOf(refused, around([fault(kind)]))).toEqual(['429 rate_limited: m'])
  })

  test('behavior: a window has its limit twice only if all replicas were killed and the database was restored', () => {
    const allowance = () => createAllowance(1)
    const admitted = (faults: readonly InjectedFault[], one = allowance()) =>
      Array.from({ length: 4 }, () => violationsOf({ ...answered(200, notesBody), allowance: one }, around(faults)))
    const problem = (count: number) => [`admitted ${count} times within a minute with a limit of 1`]
    expect(admitted([fault('database-restore', { variant: 0 })])).toEqual([[], [], problem(3), problem(4)])
    expect(admitted([fault('database-restore', { variant: 1 })])).toEqual([[], [], [], problem(4)])
  })
})
