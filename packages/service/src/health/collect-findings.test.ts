import { expect, test } from 'vitest'
import { metricHelp } from '../metric-help.ts'
import { alarms, collectFindings, type FindingsContext } from './collect-findings.ts'

const boundary = '2026-11-14T18:00:00-05:00'
const signed = { period: 'now', signed: true, signer: null, refusal: null, notes: [] }
const next = { period: 'next', start: boundary, signed: false, refusal: null }

/** A service without problems, 10 minutes before a boundary. */
function contextOf({
  readiness = [],
  current = signed,
  following = next,
  curve = {},
  values = {},
  minutes = 10,
}: {
  readonly readiness?: readonly object[]
  readonly current?: object
  readonly following?: object
  readonly curve?: object
  readonly values?: Readonly<Record<string, number>>
  readonly minutes?: number
} = {}): FindingsContext {
  const context = {
    readiness: { findings: readiness },
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

test('default: a service without problems has no findings, also without a database', () => {
  expect(collectFindings(contextOf())).toEqual([])
  expect(collectFindings({ ...contextOf(), reports: undefined })).toEqual([])
})

test('behavior: a chain without notes is reported once, with the reason', () => {
  const readiness = [{ subject: 'notes of chain 324', severity: 'unready', message: 'no notes', remedy: 'Wait.' }]
  const current = { ...signed, signed: false, refusal: { reason: 'no_curve', message: 'no curve is in force.' } }
  expect(collectFindings(contextOf({ readiness, current }))).toEqual([
    {
      severity: 'fail',
      subject: 'notes of chain 324',
      message: 'no notes of now: no curve is in force.',
      remedy: 'Fix the cause. The service retries automatically.',
    },
  ])
})

test('behavior: what the readiness found is reported as it is, and warnings come last', () => {
  const off = { subject: 'webhooks', severity: 'warn', message: 'switched off: hook_1', remedy: 'Switch it on.' }
  const fine = { subject: 'clock', severity: 'ok', message: 'fine' }
  const away = { subject: 'PostgreSQL on db', severity: 'fail', message: 'unavailable', remedy: 'Start it.' }
  const forked = { subject: 'public log', severity: 'unready', message: 'forked', remedy: 'Restore it.' }
  expect(collectFindings(contextOf({ readiness: [off, fine, away, forked] }))).toEqual([away, forked, off])
})

test('behavior: the next period is a problem when it is refused, and unsigned 5 minutes before the boundary', () => {
  const following = { ...next, refusal: { reason: 'signer_failed', message: 'the signer does not answer.' } }
  expect(collectFindings(contextOf({ following }))).toMatchObject([
    { severity: 'warn', message: 'the next period: the signer does not answer.' },
  ])
  expect(collectFindings(contextOf({ minutes: 5.1 }))).toEqual([])
  expect(collectFindings(contextOf({ minutes: 5 }))).toMatchObject([
    { severity: 'fail', message: 'the next period begins in 300 s and is not signed yet' },
  ])
  expect(collectFindings(contextOf({ minutes: 1, following: { ...next, signed: true } }))).toEqual([])
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
  const found = collectFindings(contextOf({ curve: { problem: 'The feed is down.', proposals }, values }))
  expect(found.map(({ message }) => message)).toEqual([
    'The feed is down.',
    'proposal 3 of ann is not in force',
    'rows of the audit were changed or deleted',
    'the TLS certificate expires in 3 days',
    'the certificate in the files of listen.tls is not used',
    '2 log lines were lost since the start',
  ])
  const expired = { tallystick_certificate_not_after_timestamp_seconds: day - 86_400 }
  expect(collectFindings(contextOf({ values: expired }))).toMatchObject([
    { message: 'the TLS certificate has expired' },
  ])
  const fresh = { tallystick_certificate_not_after_timestamp_seconds: day + 15 * 86_400 }
  expect(collectFindings(contextOf({ values: fresh }))).toEqual([])
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
