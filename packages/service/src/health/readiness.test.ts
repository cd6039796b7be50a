import type { Finding, Severity } from '@tallystick/core'
import type { PublishedPeriod } from '@tallystick/issuer'
import { describe, expect, test } from 'vitest'
import { checkReadiness, type ReadinessParts } from './readiness.ts'

const nowMs = 1_000
const well: Finding = { subject: 'clock', severity: 'ok', message: 'well' }
const ill = (subject: string, severity: Severity): Finding => ({
  subject,
  severity,
  message: 'ill',
  remedy: 'Repair it.',
})

/** Checks a replica with notes of some chains, and others that are withheld. */
function check({
  served,
  withheld = [],
  ...parts
}: { readonly served: readonly number[]; readonly withheld?: readonly number[] } & Partial<ReadinessParts>) {
  const sets = new Map(served.map((id) => [id, { notes: [{}] }]))
  const period = { sets, answer: () => (served.length > 0 ? {} : undefined) } as unknown as PublishedPeriod
  const readiness = checkReadiness({
    published: {
      at: () => (served.length > 0 ? period : undefined),
      findWithheld: (id) => (withheld.includes(id) ? { tenors: [7], clause: 'its pool is paused' } : undefined),
    },
    time: { now: () => nowMs },
    chainIds: [324, 10],
    subgraphs: new Map(),
    remote: [],
    poolWatch: { find: () => undefined },
    checkParts: () => [well],
    isListening: () => true,
    ...parts,
  })
  const { ready, degraded, reasons, findings } = readiness
  for (const { severity, remedy } of findings) expect(remedy !== undefined).toBe(severity !== 'ok')
  return { ready, degraded, reasons: reasons.map((reason) => reason.split(':')[0]) }
}

test('default: a replica with notes of every chain is ready', () => {
  expect(check({ served: [324, 10] })).toEqual({ ready: true, degraded: false, reasons: [] })
})

describe('degraded', () => {
  const isDegraded = { ready: true, degraded: true }
  test.each<[string, Partial<ReadinessParts>, string]>([
    ['the database', { checkParts: () => [well, ill('database', 'fail')] }, 'database'],
    ['webhooks', { checkParts: () => [ill('webhooks', 'warn')] }, 'webhooks'],
    ['an offset of the clock', { checkParts: () => [well, ill('offset', 'warn')] }, 'offset'],
  ])('behavior: by %s', (_, parts, reason) => {
    expect(check({ served: [324, 10], ...parts })).toEqual({ ...isDegraded, reasons: [reason] })
  })

  test('behavior: by one chain without notes', () => {
    expect(check({ served: [324] })).toEqual({ ...isDegraded, reasons: ['notes of chain 10'] })
  })

  test('behavior: by notes of every chain that the pools would refuse, as on every replica', () => {
    const reasons = ['notes of chain 324', 'notes of chain 10']
    expect(check({ served: [], withheld: [324, 10] })).toEqual({ ...isDegraded, reasons })
    expect(check({ served: [324], withheld: [10] })).toEqual({ ...isDegraded, reasons: ['notes of chain 10'] })
  })
})

describe('not ready', () => {
  const hooks = ill('webhooks', 'warn')
  const isUnready = { ready: false, degraded: false }
  test('error: without notes of any chain', () => {
    const reasons = ['notes of chain 324', 'notes of chain 10']
    expect(check({ served: [] })).toEqual({ ...isUnready, reasons })
  })

  test('error: if one chain’s notes are withheld and the other has none, which another replica may have', () => {
    expect(check({ served: [], withheld: [324] })).toEqual({ ...isUnready, reasons: ['notes of chain 10'] })
  })

  test.each<[string, Partial<ReadinessParts>, string]>([
    ['while it starts or stops', { isListening: () => false }, 'public listener'],
    ['while clocks disagree', { checkParts: () => [hooks, ill('clock', 'unready')] }, 'clock'],
    ['with a restored database', { checkParts: () => [ill('signed notes', 'unready'), hooks] }, 'signed notes'],
    ['while the public log contradicts', { checkParts: () => [ill('public log', 'unready'), hooks] }, 'public log'],
  ])('error: %s, whatever else is wrong', (_, parts, reason) => {
    const all = { served: [324, 10], checkParts: () => [hooks], ...parts }
    expect(check(all)).toEqual({ ...isUnready, reasons: [reason] })
    expect(check({ ...all, served: [], withheld: [324, 10] })).toEqual({ ...isUnready, reasons: [reason] })
  })
})
