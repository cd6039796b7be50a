import { describe, expect, test } from 'vitest'
import type { FaultKind, InjectedFault } from '../faults/fault.ts'
import { type Failure, hadChanceToSign, isExplained } from './explain.ts'

const during = { sentMs: 1_500, receivedMs: 1_600 } as const
const failed = (failure: Partial<Failure>): Failure => ({
  replica: 'a',
  endpoint: '/data',
  answer: '502 upstream_failed',
  ...during,
  ...failure,
})
const fault = (kind: FaultKind, rest: Partial<InjectedFault> = {}): InjectedFault => ({
  kind,
  replicas: ['a', 'b'],
  variant: 0,
  startedMs: 1_000,
  endedMs: 2_000,
  ...rest,
})

describe('isExplained', () => {
  test('default: without a fault, a failure is not explained', () => {
    expect(isExplained(failed({}), [])).toBe(false)
  })

  test('behavior: a PostgreSQL outage explains failures of the embedded chain only', () => {
    for (const kind of ['postgres-stop', 'postgres-stall'] as const) {
      expect(isExplained(failed({ chain: 324 }), [fault(kind)])).toBe(true)
      expect(isExplained(failed({ chain: 300 }), [fault(kind)])).toBe(false)
    }
  })

  test.each([
    'postgres-stop',
    'postgres-stall',
    'upstream-hang',
    'rpc-outage',
    'rpc-drip',
    'signer-outage',
    'clock-ahead',
    'reorg',
    'hostile-queries',
  ] as const)('behavior: %s explains no failure of /notes or /rate', (kind) => {
    for (const endpoint of ['/notes', '/rate'] as const) {
      for (const answer of ['500 internal_error', '502 upstream_failed', '503 not_ready', 'connection']) {
        expect(isExplained(failed({ endpoint, answer }), [fault(kind)])).toBe(false)
      }
    }
  })

  test('behavior: notes are withheld while a role is missing or the signer is another, on the chains of the fault', () => {
    const withheld = (chain: number) => failed({ endpoint: '/notes', answer: '500 notes_unavailable', chain })
    for (const kind of ['signer-changed', 'role-revoked'] as const) {
      expect([300, 324].map((chain) => isExplained(withheld(chain), [fault(kind)]))).toEqual([true, true])
      expect(isExplained(failed({ chain: 324 }), [fault(kind)])).toBe(false)
    }
    const ofOne = [fault('signer-changed', { variant: 1 })]
    expect([300, 324].map((chain) => isExplained(withheld(chain), ofOne))).toEqual([true, false])
  })

  test('behavior: an RPC that drops logs or changes its chain explains that an index cannot be read, and nothing else', () => {
    for (const kind of ['rpc-drops-logs', 'rpc-changes-chain'] as const) {
      expect([300, 324].map((chain) => isExplained(failed({ chain }), [fault(kind)]))).toEqual([true, true])
      const unavailable = failed({ endpoint: '/notes', answer: '500 notes_unavailable' })
      expect(isExplained(unavailable, [fault(kind)])).toBe(false)
    }
  })

  test('behavior: a kill explains failed connections to that replica only, and no response', () => {
    const faults = [fault('replica-kill', { replicas: ['a'] })]
    expect(isExplained(failed({ answer: 'connection' }), faults)).toBe(true)
    expect(isExplained(failed({ answer: 'connection', replica: 'b' }), faults)).toBe(false)
    expect(isExplained(failed({ answer: '500 internal_error' }), faults)).toBe(false)
  })

  test('behavior: a restore explains failed connections only if the replicas were killed', () => {
    const failure = failed({ answer: 'connection', endpoint: '/notes' })
    expect(isExplained(failure, [fault('database-restore', { variant: 1 })])).toBe(true)
    expect(isExplained(failure, [fault('database-restore', { variant: 0 })])).toBe(false)
    expect(isExplained(failed({ chain: 324 }), [fault('database-restore')])).toBe(true)
    expect(isExplained(failed({ chain: 300 }), [fault('database-restore')])).toBe(false)
  })

  test('behavior: a fault must overlap the request, including its grace time', () => {
    const faults = [fault('replica-kill')]
    const at = (sentMs: number) => failed({ answer: 'connection', sentMs, receivedMs: sentMs + 10 })
    expect([980, 990, 4_000, 4_001].map((sentMs) => isExplained(at(sentMs), faults))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('behavior: an active fault explains a failure, a skipped one does not', () => {
    expect(isExplained(failed({ sentMs: 1e6, receivedMs: 1e6 }), [fault('upstream-500', { endedMs: undefined })])).toBe(
      true,
    )
    expect(isExplained(failed({}), [fault('upstream-500', { skipped: 'no' })])).toBe(false)
  })
})

describe('hadChanceToSign', () => {
  const attempt = { replica: 'a', sinceMs: 0, untilMs: 60_000 } as const

  test('default: 20 s are enough to sign', () => {
    expect(hadChanceToSign([], { ...attempt, untilMs: 20_000 })).toBe(true)
    expect(hadChanceToSign([], { ...attempt, untilMs: 19_999 })).toBe(false)
  })

  test('behavior: a signer that was unavailable almost all the time leaves no chance', () => {
    expect(hadChanceToSign([fault('signer-outage', { startedMs: -5_000, endedMs: 50_000 })], attempt)).toBe(false)
    expect(hadChanceToSign([fault('signer-outage', { startedMs: -5_000, endedMs: undefined })], attempt)).toBe(false)
    const broken = [
      fault('postgres-stop', { startedMs: 10_000, endedMs: 25_000 }),
      fault('signer-outage', { startedMs: 44_000, endedMs: 50_000 }),
    ]
    expect(hadChanceToSign(broken, attempt)).toBe(false)
  })

  test('behavior: a chance between two outages counts, and faults of another replica do not', () => {
    const between = [
      fault('signer-outage', { startedMs: -1, endedMs: 10_000 }),
      fault('signer-outage', { startedMs: 30_000, endedMs: undefined }),
    ]
    expect(hadChanceToSign(between, attempt)).toBe(true)
    expect(hadChanceToSign([fault('fd-pressure', { replicas: ['b'], endedMs: undefined })], attempt)).toBe(true)
  })
})
