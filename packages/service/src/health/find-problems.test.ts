import { expect, test } from 'vitest'
import { metricHelp } from '../metric-help.ts'
import { alarms, findProblems, type ProblemContext } from './find-problems.ts'

const boundary = '2026-11-14T18:00:00-05:00'
const signed = { period: 'now', signed: true, signer: null, refusal: null, notes: [] }
const next = { period: 'next', start: boundary, signed: false, refusal: null }

/** A service without problems, 10 minutes before a boundary. */
function contextOf({
  checks = [],
  current = signed,
  following = next,
  curve = {},
  values = {},
  minutes = 10,
}: {
  readonly checks?: readonly object[]
  readonly current?: object
  readonly following?: object
  readonly curve?: object
  readonly values?: Readonly<Record<string, number>>
  readonly minutes?: number
} = {}): ProblemContext {
  const context = {
    readiness: { ready: true, checks },
    reports: {
      notes: { rogue: [], chains: [{ chainId: 324, current, next: following }] },
      curve: { problem: null, chains: [], proposals: [], ...curve },
    },
    config: { tenors: [7], curve: { source: 'manual' }, chains: [] },
    signers: new Map(),
    metrics: { read: (family: string) => (family in values ? [{ value: values[family] }] : []) },
    nowMs: Date.parse(boundary) - minutes * 60_000,
  }
  return context as never
}

test('default: a service without problems has none, also without a database', () => {
  expect(findProblems(contextOf())).toEqual([])
  expect(findProblems({ ...contextOf(), reports: undefined })).toEqual([])
})

test('behavior: a chain without notes is reported once, with the reason', () => {
  const checks = [{ name: 'notes of chain 324', ok: false, detail: 'no notes', required: true }]
  const current = { ...signed, signed: false, refusal: { reason: 'no_curve', message: 'no curve is in force.' } }
  expect(findProblems(contextOf({ checks, current }))).toEqual([
    {
      outcome: 'fail',
      subject: 'notes of chain 324',
      found: 'no notes of now: no curve is in force.',
      advice: 'Fix the cause. The service retries automatically.',
    },
  ])
})

test('behavior: a failed check has a remedy, and urgent problems come first', () => {
  const checks = [
    { name: 'webhooks', ok: false, detail: 'switched off: hook_1', required: false },
    { name: 'clock', ok: true, detail: 'fine', required: true },
    { name: 'PostgreSQL on db', ok: false, detail: 'unavailable', required: true },
  ]
  expect(findProblems(contextOf({ checks }))).toMatchObject([
    { outcome: 'fail', subject: 'PostgreSQL on db', advice: expect.stringContaining('reconnects automatically') },
    { outcome: 'warn', subject: 'webhooks', advice: expect.stringContaining('switch the webhook on') },
  ])
})

test('behavior: the next period is a problem when it is refused, and unsigned 5 minutes before the boundary', () => {
  const following = { ...next, refusal: { reason: 'signer_failed', message: 'the signer does not answer.' } }
  expect(findProblems(contextOf({ following }))).toMatchObject([
    { outcome: 'warn', found: 'the next period: the signer does not answer.' },
  ])
  expect(findProblems(contextOf({ minutes: 5.1 }))).toEqual([])
  expect(findProblems(contextOf({ minutes: 5 }))).toMatchObject([
    { outcome: 'fail', found: 'the next period begins in 300 s and is not signed yet' },
  ])
  expect(findProblems(contextOf({ minutes: 1, following: { ...next, signed: true } }))).toEqual([])
})

test('behavior: the Treasury, proposals and the certificate are reported', () => {
  const proposals = [{ id: '3', proposedBy: 'ann', expiresAt: '2026-11-15T00:00:00Z' }]
  const day = Date.parse(boundary) / 1000
  const values = {
    tallystick_audit_problem: 1,
    tallystick_certificate_not_after_timestamp_seconds: day + 3 * 86_400,
    tallystick_certificate_rejected: 1,
    tallystick_log_dropped_total: 2,
  }
  const found = findProblems(contextOf({ curve: { problem: 'The feed is down.', proposals }, values }))
  expect(found.map(({ found }) => found)).toEqual([
    'The feed is down.',
    'proposal 3 of ann is not in force',
    'rows of the audit were changed or deleted',
    'the TLS certificate expires in 3 days',
    'the certificate in the files of listen.tls is not used',
    '2 log lines were lost since the start',
  ])
  const expired = { tallystick_certificate_not_after_timestamp_seconds: day - 86_400 }
  expect(findProblems(contextOf({ values: expired }))).toMatchObject([{ found: 'the TLS certificate has expired' }])
  const fresh = { tallystick_certificate_not_after_timestamp_seconds: day + 15 * 86_400 }
  expect(findProblems(contextOf({ values: fresh }))).toEqual([])
})

test('behavior: every alarm metric is put into words, here or by a check of the readiness or the notes', () => {
  const covered = [
    'tallystick_log_problem',
    'tallystick_log_altered_rows',
    'tallystick_hooks_disabled',
    'tallystick_pool_problem',
    'tallystick_books_differ',
    'tallystick_signer_protection_unavailable',
    'tallystick_notes_unavailable',
    // A pool that refuses notes has the problem "refused".
    'tallystick_preflight_refused',
    // The problem of the curve source.
    'tallystick_treasury_problem',
    'tallystick_subgraph_problem',
    // The problem of the subgraph.
    'tallystick_subgraph_fault',
    'tallystick_subgraph_disputed',
    'tallystick_clock_disputed',
    'tallystick_database_unavailable',
  ]
  const all = Object.entries(metricHelp).flatMap(([name, help]) => (help.startsWith('ALARM') ? [name] : []))
  expect([...covered, ...Object.keys(alarms)].toSorted()).toEqual(all.toSorted())
})
