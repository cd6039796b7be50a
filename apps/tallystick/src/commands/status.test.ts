import type { ChainStatus, StatusReport } from '@tallystick/core'
import { expect, test } from 'vitest'
import { assertKnown, formatStatus, hasFailed } from './status.ts'

const plain = (text: string) => text
const layout = { style: { red: plain, yellow: plain, green: plain, bold: plain, dim: plain }, width: 200 } as never

function reportOf(chain: Pick<ChainStatus, 'poolStatus' | 'poolProblems'>): StatusReport {
  const index = { index: null, standby: null }
  const times = { now: 'now', period: 'this', nextPeriod: 'next', boundary: 'then' }
  const chains = [{ chainId: 324, name: 'zkSync Era', notes: 7, isNextSigned: false, ...index, ...chain }]
  return { ...times, ready: true, findings: [], chains }
}

test.each([
  ['open', 'open', [], false],
  ['PROBLEM', 'open', ['the floating income of 9 days is not reported'], false],
  ['PAUSED', 'paused', ['the pool is paused'], true],
  ['REJECTING', 'rejecting', ['the pool has another signer'], true],
  ['unknown', 'unknown', null, false],
  ['open', undefined, [], false],
] as const)(
  'default: it shows %s for a pool that is %s, and fails if nobody can lend',
  (shown, poolStatus, poolProblems, fails) => {
    const report = reportOf({ poolStatus, poolProblems })
    expect(formatStatus(report, layout)).toMatch(new RegExp(`^324 +7 +not signed yet +${shown} `, 'm'))
    expect(hasFailed(report)).toBe(fails)
  },
)

test.each([
  ['ready', { ready: true, degraded: false }],
  ['ready, degraded', { ready: true, degraded: true }],
  ['NOT READY', { ready: false, degraded: false }],
  // Of an earlier version.
  ['ready', { ready: true }],
])('default: it says %s', (shown, state) => {
  const report = { ...reportOf({ poolStatus: 'open', poolProblems: [] }), degraded: undefined, ...state }
  expect(formatStatus(report, layout).split('\n')[0]).toBe(`Service time now, ${shown}`)
})

test('behavior: a problem that stops notes fails too', () => {
  const finding = { subject: 'clock', message: 'it is wrong', remedy: 'Correct it.' }
  const report = reportOf({ poolStatus: 'open', poolProblems: [] })
  expect(hasFailed({ ...report, findings: [{ ...finding, severity: 'warn' }] })).toBe(false)
  expect(hasFailed({ ...report, findings: [{ ...finding, severity: 'fail' }] })).toBe(true)
  expect(hasFailed({ ...report, findings: [{ ...finding, severity: 'unready' }] })).toBe(true)
})

test('error: a service that reports no findings is of another version, and not taken for one without problems', () => {
  const report = reportOf({ poolStatus: 'open', poolProblems: [] })
  expect(() => assertKnown(report)).not.toThrow()
  expect(() => assertKnown({ ...report, findings: undefined } as never)).toThrow('is of another version')
})
