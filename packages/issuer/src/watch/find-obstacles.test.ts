import { periodAt } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import type { PreflightResult } from '../issue/preflight.ts'
import type { NoteSet } from '../note-set.ts'
import { findObstacles, joinWithholding, type ObstacleContext } from './find-obstacles.ts'

const nowSeconds = 1794744000n
const [signer, other] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const
const noteOf = (tenorDays: number, coupon: bigint) => ({
  tenorDays,
  coupon,
  maturityTimestamp: nowSeconds + BigInt(tenorDays) * 86_400n,
})
const set = {
  chainId: 324,
  period: periodAt(nowSeconds),
  signer,
  notes: [noteOf(7, 369n), noteOf(30, 362n)],
} as unknown as NoteSet
const limits = { minLendLimit: 1n, maxCouponLimit: 1000n, minMaturityLimit: 172_800n }
const state = { tellsPause: true, paused: [], limits, signer, lastIncomeDay: undefined, source: 'chain' } as const
const context: ObstacleContext = {
  ...{ state, faults: [], nowSeconds, mode: 'warn', next: undefined },
  adviseOnSigner: (registered) => `Register another signer than ${registered}.`,
}
const refused = (reason: string, tenorsBeyondLimits: readonly number[] = []) =>
  ({ outcome: 'refused', reason, message: `it refuses: ${reason}`, tenorsBeyondLimits }) as PreflightResult
const accepted = { outcome: 'accepted' } as const
const find = (preflight: PreflightResult | undefined, changes: Partial<ObstacleContext> = {}) =>
  findObstacles({ set, preflight }, { ...context, ...changes })
const brief = (...[preflight, changes]: Parameters<typeof find>) =>
  find(preflight, changes).map(({ problem, tenors, checks }) => [problem, tenors, checks])

test('default: a pool that accepts the notes has no obstacle, with or without a preflight', () => {
  expect(find(accepted)).toEqual([])
  expect(find(undefined)).toEqual([])
})

describe('signer', () => {
  const strange = { state: { ...state, signer: other } }
  const expected = [['signer', [7, 30], 2]]

  test('default: another registered signer withholds all notes after two checks, whatever rails.preflight is', () => {
    expect(brief(refused('InvalidSigner'), strange)).toEqual(expected)
    expect(brief(undefined, { ...strange, mode: 'off' })).toEqual(expected)
    expect(brief({ outcome: 'too_early', message: '' }, strange)).toEqual(expected)
    expect(find(undefined, strange)[0]).toMatchObject({
      reason: 'pool_signer',
      clause: `the pool’s signer is ${other}, not ${signer}`,
      remedy: `Register another signer than ${other}.`,
    })
  })

  test('behavior: the pool’s answer to the notes themselves counts more than the registered signer', () => {
    expect(brief(accepted, strange)).toEqual([])
    expect(brief(refused('InvalidSigner'))).toEqual(expected)
    expect(find(refused('InvalidSigner'))[0]?.clause).toBe('the pool recovers another signer from the notes')
  })

  test('behavior: a planned change is reported at once and withholds nothing', () => {
    const late = { nowSeconds: set.period.end - 60n, next: other, ...strange }
    const planned = [['signer_change', [], 1]]
    expect(brief({ outcome: 'planned', message: '' }, late)).toEqual(planned)
    expect(brief(undefined, late)).toEqual(planned)
    expect(brief(undefined, { ...late, nowSeconds })).toEqual(expected)
  })
})

test('behavior: a pause withholds all notes after three checks, a fault of the roles after two', () => {
  expect(brief(refused('EnforcedPause'), { state: { ...state, paused: ['dollar'] } })).toEqual([
    ['dollar_paused', [7, 30], 3],
  ])
  const fault = { message: 'no role', remedy: 'Grant it.', clause: 'it lacks a role' }
  expect(brief(accepted, { faults: [fault] })).toEqual([['wiring', [7, 30], 2]])
})

test('behavior: limits withhold only the tenors they refuse', () => {
  const narrow = { state: { ...state, limits: { ...limits, maxCouponLimit: 365n } } }
  expect(brief(accepted, narrow)).toEqual([['limits', [7], 2]])
  expect(brief(refused('InvalidCoupon', [30]), narrow)).toEqual([['limits', [7, 30], 2]])
  expect(brief(refused('InvalidCoupon', [30]))).toEqual([['limits', [30], 2]])
})

test('behavior: another refusal withholds the notes with "require" only, and one about time never', () => {
  expect(brief(refused('no_code'))).toEqual([['refused', [], 2]])
  expect(brief(refused('no_code'), { mode: 'require' })).toEqual([['refused', [7, 30], 2]])
  expect(brief(refused('FeedExpired'), { mode: 'require' })).toEqual([])
})

test('behavior: several obstacles are joined, the widest first', () => {
  const narrow = { ...state, limits: { ...limits, maxCouponLimit: 365n }, paused: ['pool'] } as const
  const obstacles = find(undefined, { state: narrow })
  expect(joinWithholding(set, obstacles)).toEqual({
    tenors: [7, 30],
    reason: 'pool_paused',
    message:
      'the pool is paused: lending and claiming fail; the pool accepts coupons up to 365 bps and refuses the notes of 7 days. They are withheld.',
    clause: 'the pool is paused; the pool accepts coupons up to 365 bps and refuses the notes of 7 days',
  })
  expect(joinWithholding(set, obstacles.slice(1))).toMatchObject({ tenors: [7], reason: 'pool_limits' })
  expect(joinWithholding(set, find(refused('no_code')))).toBeUndefined()
})
