import { type CurveProvenance, type Period, periodAfter, periodAt } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import type { Curve } from '../curve/curve.ts'
import type { NoteSet } from '../note-set.ts'
import type { RailInput } from './rail-input.ts'
import { findRefusal, offeredTenors } from './rails.ts'

const day = 86_400n
// 2026-07-15, an ordinary Wednesday: day period, and the evening before it.
const period = periodAt(seconds('2026-07-15T12:00:00Z'))
const before = periodAt(period.start - 1n)

const curve: Curve = {
  id: 2n,
  chainId: null,
  effectiveFrom: period.start,
  points: { 7: 400, 30: 410 },
  confirmed: false,
  source: 'manual',
  provenance: null,
  createdBy: 'a test',
  createdAt: period.start - day,
}

const provenance: CurveProvenance = {
  source: 'treasury',
  sourceDate: '2026-07-14',
  basis: 'discount',
  spreadBps: 0,
  interpolation: 'linear-in-days, flat beyond the ends',
  rounding: 'half up',
  bills: [{ weeks: 4, days: 28, cusip: null, maturityDate: null, ratePercent: '4.00', bps: '400' }],
  missingBills: [],
  documentSha256: '0'.repeat(64),
  url: 'https://treasury.example/xml',
  fetchedAt: '2026-07-14T21:45:00.000Z',
}

/** Nothing is wrong with this. */
const sound: RailInput = {
  chain: { id: 324, maxCouponBps: 1000, minMaturitySeconds: 172_800 },
  period,
  tenors: [7, 30],
  curveTenors: [7, 30],
  maxMoveBps: 100,
  windows: [],
  maxAgeBusinessDays: 2,
  curve,
  previous: setOf(before, { 7: 400, 30: 410 }),
  latest: setOf(before, { 7: 400, 30: 410 }),
  nowSeconds: period.start,
  chainTimeSeconds: period.start,
  time: { databaseSeconds: undefined, confirmation: 'single_clock' },
  signAheadSeconds: 600,
}

function seconds(instant: string): bigint {
  return BigInt(Date.parse(instant) / 1000)
}

function setOf(of: Period, coupons: Record<number, number>): NoteSet {
  const signature = { r: `0x${'00'.repeat(32)}`, s: `0x${'00'.repeat(32)}`, v: 27 } as const
  return {
    chainId: 324,
    period: of,
    signer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
    curveId: 1n,
    issuedAt: of.start,
    notes: Object.entries(coupons).map(([tenor, coupon]) => ({
      tenorDays: Number(tenor),
      chainId: 324,
      maturityTimestamp: of.noteDay + BigInt(tenor) * day,
      coupon: BigInt(coupon),
      startedAt: of.noteDay,
      validAfter: of.start - 1n,
      validBefore: of.end,
      signature,
    })),
  }
}

function withCurve(change: Partial<Curve>): Partial<RailInput> {
  return { curve: { ...curve, ...change } }
}

/** The reason a sound input is refused for after a change, or undefined. */
function reasonAfter(change: Partial<RailInput>) {
  return findRefusal({ ...sound, ...change })?.reason
}

function messageAfter(change: Partial<RailInput>) {
  return findRefusal({ ...sound, ...change })?.message
}

test('default: a valid set passes every rail', () => {
  expect(findRefusal(sound)).toBeUndefined()
})

test('default: the first set passes without earlier sets and without an RPC', () => {
  expect(reasonAfter({ previous: undefined, latest: undefined, chainTimeSeconds: undefined })).toBeUndefined()
})

describe('curve and tenors', () => {
  test('error: no curve', () => {
    expect(findRefusal({ ...sound, curve: undefined })).toMatchInlineSnapshot(`
      {
        "message": "no curve is in force. Set one with \`tallystick curve set 7=<bps> 30=<bps>\`.",
        "reason": "no_curve",
      }
    `)
  })

  test('error: a curve with none of the configured tenors', () => {
    expect(findRefusal({ ...sound, tenors: [14, 60] })).toMatchInlineSnapshot(`
      {
        "message": "the curve in force has none of the configured tenors (14, 60). Set a new one.",
        "reason": "no_tenor",
      }
    `)
    expect(reasonAfter(withCurve({ points: {} }))).toBe('no_tenor')
  })

  test('behavior: a configured tenor without a coupon is skipped; the others are checked', () => {
    expect(offeredTenors([7, 14, 30], curve)).toEqual([7, 30])
    expect(reasonAfter({ tenors: [7, 14, 30] })).toBeUndefined()
    expect(reasonAfter({ tenors: [7, 14, 30], ...withCurve({ points: { 7: 400, 30: 0 } }) })).toBe(
      'coupon_out_of_range',
    )
  })

  test('behavior: a coupon of an unconfigured tenor is not checked, because it is not signed', () => {
    expect(reasonAfter(withCurve({ points: { 7: 400, 30: 410, 60: 99_999 } }))).toBeUndefined()
  })

  test('behavior: a coupon of 0 is out of range, not a missing tenor', () => {
    expect(offeredTenors([7], { ...curve, points: { 7: 0 } })).toEqual([7])
  })
})

describe('coupon', () => {
  const coupon = (bps: number) => ({ previous: undefined, ...withCurve({ points: { 7: bps, 30: 410 } }) })

  test.each([1, 2, 999, 1000])('behavior: %d bps is within 1 to 1000', (bps) => {
    expect(reasonAfter(coupon(bps))).toBeUndefined()
  })

  test.each([0, -1, 1001, 0.5, 400.5, Number.NaN, Number.POSITIVE_INFINITY])('error: %d bps is not', (bps) => {
    expect(reasonAfter(coupon(bps))).toBe('coupon_out_of_range')
  })

  test('behavior: each chain has its own limit', () => {
    expect(reasonAfter({ ...coupon(1001), chain: { ...sound.chain, maxCouponBps: 1001 } })).toBeUndefined()
    expect(reasonAfter({ ...coupon(1002), chain: { ...sound.chain, maxCouponBps: 1001 } })).toBe('coupon_out_of_range')
  })

  test('error: a single tenor is enough, even with a confirmed curve', () => {
    const points = { 7: 400, 30: 1001 }
    expect(reasonAfter({ previous: undefined, ...withCurve({ points, confirmed: true }) })).toBe('coupon_out_of_range')
  })

  test('error: names tenor, coupon, limit and chain', () => {
    expect(messageAfter(coupon(1001))).toMatchInlineSnapshot(
      `"the 7-day coupon is 1001 bps, outside 1 to 1000 (maxCouponBps of chain 324)."`,
    )
  })
})

describe('limits of the pool', () => {
  const unknown = { minLendLimit: undefined, maxCouponLimit: undefined, minMaturityLimit: undefined }
  const withLimits = (limits: Partial<NonNullable<RailInput['poolLimits']>>) => ({
    poolLimits: { ...unknown, ...limits },
  })
  // The period ends at 18:00 of the first of the 7 days.
  const toMaturity = 7n * day - 18n * 3600n

  test.each([
    ['unknown', {}, undefined],
    ['the highest coupon', { maxCouponLimit: 410n }, undefined],
    ['one less', { maxCouponLimit: 409n }, 'coupon_above_pool_limit'],
    ['nothing', { maxCouponLimit: 0n }, 'coupon_above_pool_limit'],
    ['the largest number', { maxCouponLimit: 2n ** 256n - 1n }, undefined],
    ['the time to maturity', { minMaturityLimit: toMaturity }, undefined],
    ['a second more', { minMaturityLimit: toMaturity + 1n }, 'maturity_below_pool_limit'],
    ['an endless maturity', { minMaturityLimit: 2n ** 256n - 1n }, 'maturity_below_pool_limit'],
  ] as const)('behavior: the rail compares with %s', (_, limits, reason) => {
    expect(reasonAfter(withLimits(limits))).toBe(reason)
  })

  test('error: a confirmed curve does not override them, and the message says what to do', () => {
    const input = { ...withLimits({ maxCouponLimit: 300n }), ...withCurve({ confirmed: true }) }
    expect(messageAfter(input)).toMatchInlineSnapshot(
      `"the 7-day coupon is 400 bps, but the pool of chain 324 accepts at most 300 now. Set lower coupons with \`tallystick curve set … --chain 324\`, or raise the limit with setMaxCouponLimit."`,
    )
    expect(messageAfter(withLimits({ minMaturityLimit: 600_000n }))).toMatchInlineSnapshot(
      `"the 7-day note matures 540000 s after the period ends, but the pool of chain 324 requires 600000 s now. Set a curve without it with \`tallystick curve set … --chain 324\`, or lower the limit with setMinMaturityLimit."`,
    )
  })
})

describe('move', () => {
  const moved = (bps: number, change: Partial<Curve> = {}) =>
    withCurve({ points: { 7: 400, 30: 410 + bps }, ...change })

  test.each([0, 1, 99, 100, -1, -99, -100])('behavior: a move of %d bps is within 100', (bps) => {
    expect(reasonAfter(moved(bps))).toBeUndefined()
  })

  test.each([101, -101, 500, -409])('error: a move of %d bps is not', (bps) => {
    expect(reasonAfter(moved(bps))).toBe('move_too_large')
  })

  test('error: names both coupons, for moves up and down', () => {
    expect(messageAfter(moved(101))).toMatchInlineSnapshot(
      `"the 30-day coupon moves from 410 to 511 bps (+101). The limit is 100 (rails.maxMoveBps). If this is intended, confirm it with \`tallystick curve set 7=400 30=511 --confirm\`."`,
    )
    expect(messageAfter(moved(-101))).toMatchInlineSnapshot(
      `"the 30-day coupon moves from 410 to 309 bps (-101). The limit is 100 (rails.maxMoveBps). If this is intended, confirm it with \`tallystick curve set 7=400 30=309 --confirm\`."`,
    )
  })

  test('error: the command is for the chain of the curve, or has the tenors of all chains', () => {
    const confirm = (change: Partial<Curve>) => {
      const points = { 7: 400, 14: 405, 30: 511, 60: 420 }
      const input = { ...withCurve({ points, ...change }), tenors: [14, 30], curveTenors: [7, 14, 30] }
      return /`(.*)`/.exec(messageAfter(input) ?? '')?.[1]
    }
    expect(confirm({ chainId: null })).toBe('tallystick curve set 7=400 14=405 30=511 --confirm')
    expect(confirm({ chainId: 324 })).toBe('tallystick curve set 14=405 30=511 --chain 324 --confirm')
  })

  test('behavior: a limit of 0 allows only unchanged coupons', () => {
    expect(reasonAfter({ ...moved(0), maxMoveBps: 0 })).toBeUndefined()
    expect(reasonAfter({ ...moved(1), maxMoveBps: 0 })).toBe('move_too_large')
    expect(reasonAfter({ ...moved(-1), maxMoveBps: 0 })).toBe('move_too_large')
  })

  test('behavior: a confirmed curve may move any distance', () => {
    expect(reasonAfter(moved(590, { confirmed: true }))).toBeUndefined()
    expect(reasonAfter(moved(-409, { confirmed: true }))).toBeUndefined()
  })

  describe('within a day and a week', () => {
    const windowOf = (lowestBps: number, highestBps = lowestBps) => [
      {
        name: '24 hours',
        rail: 'rails.maxMoveBpsPerDay',
        maxMoveBps: 150,
        coupons: new Map([[30, { lowestBps, highestBps }]]),
      },
    ]

    test.each([
      [410, 260, undefined],
      [410, 259, 'move_too_large'],
      [410, 560, undefined],
      [410, 561, 'move_too_large'],
    ])('behavior: %d bps against %d with a limit of 150', (bps, before, reason) => {
      const input = { ...moved(bps - 410), windows: windowOf(before), previous: undefined }
      expect(reasonAfter(input)).toBe(reason)
    })

    test('error: the move is measured from the farthest coupon of the window', () => {
      expect(messageAfter({ ...moved(-98), windows: windowOf(400, 508) })).toMatchInlineSnapshot(
        `"the 30-day coupon moves from 508 to 312 bps (-196) within 24 hours. The limit is 150 (rails.maxMoveBpsPerDay). If this is intended, confirm it with \`tallystick curve set 7=400 30=312 --confirm\`."`,
      )
    })

    test('behavior: a confirmed curve passes, and so does a tenor without a coupon in the window', () => {
      expect(reasonAfter({ ...moved(-98, { confirmed: true }), windows: windowOf(508) })).toBeUndefined()
      expect(reasonAfter({ ...moved(0), windows: [{ ...windowOf(0)[0]!, coupons: new Map() }] })).toBeUndefined()
    })
  })

  test('behavior: a tenor without a coupon in the last period has no move', () => {
    expect(reasonAfter({ previous: setOf(before, { 7: 400 }), ...moved(500) })).toBeUndefined()
    expect(reasonAfter({ previous: setOf(before, { 30: 410 }), ...moved(500) })).toBe('move_too_large')
  })

  test('behavior: the first set has no move', () => {
    expect(reasonAfter({ previous: undefined, latest: undefined, ...moved(500) })).toBeUndefined()
  })

  test('behavior: the move is measured from the previous period, not from the latest set', () => {
    const latest = setOf(periodAfter(period), { 7: 400, 30: 910 })
    const now = { latest, nowSeconds: latest.issuedAt, chainTimeSeconds: undefined }
    expect(reasonAfter({ ...now, ...moved(100) })).toBeUndefined()
    expect(reasonAfter({ ...now, ...moved(500) })).toBe('move_too_large')
  })
})

describe('age', () => {
  // For the period of Wednesday 2026-07-15.
  const ratesOf = (sourceDate: string) => withCurve({ source: 'treasury', provenance: { ...provenance, sourceDate } })

  test.each(['2026-07-15', '2026-07-14', '2026-07-13'])('behavior: rates of %s are not too old', (sourceDate) => {
    expect(reasonAfter(ratesOf(sourceDate))).toBeUndefined()
  })

  test('error: Friday’s rates are 3 business days old on Wednesday', () => {
    expect(findRefusal({ ...sound, ...ratesOf('2026-07-10') })).toMatchInlineSnapshot(`
      {
        "message": "the rates in force are of 2026-07-10, 3 business days old on 2026-07-15. The limit is 2 (curve.maxAgeBusinessDays). Set a curve with \`tallystick curve set 7=<bps> 30=<bps>\`.",
        "reason": "curve_stale",
      }
    `)
    expect(reasonAfter({ ...ratesOf('2026-07-10'), maxAgeBusinessDays: 3 })).toBeUndefined()
  })

  test('behavior: the age is measured on the day of the period, not of the signing', () => {
    const evening = periodAfter(before)
    const saturday = periodAt(seconds('2026-07-18T12:00:00Z'))
    expect(reasonAfter({ ...ratesOf('2026-07-13'), period: evening })).toBeUndefined()
    expect(reasonAfter({ ...ratesOf('2026-07-13'), period: saturday })).toBe('curve_stale')
    expect(reasonAfter({ ...ratesOf('2026-07-15'), period: saturday })).toBeUndefined()
  })

  test('behavior: the message includes the source’s problem', () => {
    const sourceProblem = 'The Treasury feed responded with status 500.'
    expect(messageAfter({ ...ratesOf('2026-07-10'), sourceProblem })).toContain(`. ${sourceProblem} Set a curve with`)
    expect(messageAfter({ curve: undefined, sourceProblem })).toContain(`in force. ${sourceProblem} Set one with`)
  })

  test('behavior: a manual curve has no maximum age', () => {
    const old = withCurve({ effectiveFrom: 0n, createdAt: 0n })
    expect(reasonAfter(old)).toBeUndefined()
  })
})

describe('maturity', () => {
  /** One tenor in one period, against the pool's limit. */
  const offered = (instant: string, tenor: number, minMaturitySeconds = 172_800): Partial<RailInput> => {
    const at = periodAt(seconds(instant))
    return {
      chain: { ...sound.chain, minMaturitySeconds },
      period: at,
      tenors: [tenor],
      previous: undefined,
      latest: undefined,
      nowSeconds: at.start,
      chainTimeSeconds: undefined,
      ...withCurve({ points: { [tenor]: 400 }, createdAt: at.start }),
    }
  }

  test('behavior: a note with exactly the required time to maturity passes; one second less fails', () => {
    // 18:00 to 24:00: three days on are two whole days after the period's end.
    const evening = '2026-07-15T22:00:00Z'
    expect(reasonAfter(offered(evening, 3, 172_800))).toBeUndefined()
    expect(reasonAfter(offered(evening, 3, 172_801))).toBe('maturity_too_short')
    // 00:00 to 18:00 ends six hours earlier.
    const morning = '2026-07-15T12:00:00Z'
    expect(reasonAfter(offered(morning, 3, 172_800 + 21_600))).toBeUndefined()
    expect(reasonAfter(offered(morning, 3, 172_800 + 21_601))).toBe('maturity_too_short')
  })

  test('error: 2 days are too short in both periods of an ordinary day', () => {
    expect(reasonAfter(offered('2026-07-15T12:00:00Z', 2))).toBe('maturity_too_short')
    expect(reasonAfter(offered('2026-07-15T22:00:00Z', 2))).toBe('maturity_too_short')
  })

  // Clocks go forward on 2026-03-08: the 48 hours after the evenings of the 6th and the 7th are 47.
  test.each([
    ['2026-03-06T12:00:00Z', 'the 6th by day', undefined],
    ['2026-03-05T23:00:00Z', 'the 5th, evening', undefined],
    ['2026-03-06T23:00:00Z', 'the 6th, evening', 'maturity_too_short'],
    ['2026-03-07T12:00:00Z', 'the 7th by day', undefined],
    ['2026-03-07T23:00:00Z', 'the 7th, evening', 'maturity_too_short'],
    ['2026-03-08T12:00:00Z', 'the spring day itself', undefined],
    ['2026-03-08T22:00:00Z', 'its evening', undefined],
  ])('behavior: 3 days in spring, %s, %s: %s', (instant, _, reason) => {
    expect(reasonAfter(offered(instant, 3))).toBe(reason)
  })

  test('behavior: DST removes one hour in spring and adds one in autumn', () => {
    expect(reasonAfter(offered('2026-03-07T23:00:00Z', 3, 172_800 - 3600))).toBeUndefined()
    expect(reasonAfter(offered('2026-03-07T23:00:00Z', 3, 172_800 - 3599))).toBe('maturity_too_short')
    expect(reasonAfter(offered('2026-10-31T23:00:00Z', 3, 172_800 + 3600))).toBeUndefined()
    expect(reasonAfter(offered('2026-10-31T23:00:00Z', 3, 172_800 + 3601))).toBe('maturity_too_short')
  })

  test('error: names the actual and the required time to maturity', () => {
    expect(messageAfter(offered('2026-03-07T23:00:00Z', 3))).toMatchInlineSnapshot(
      `"the 3-day note matures 169200 s after the period ends. The pool requires 172800 s (minMaturitySeconds of chain 324). Remove 3 from "tenors"."`,
    )
  })

  test('error: one tenor that is too short refuses the whole set', () => {
    const evening = offered('2026-07-15T22:00:00Z', 2)
    expect(reasonAfter({ ...evening, tenors: [2, 7], ...withCurve({ points: { 2: 400, 7: 400 } }) })).toBe(
      'maturity_too_short',
    )
  })
})

describe('clock compared with the last signature', () => {
  const latest = { ...setOf(before, { 7: 400, 30: 410 }), issuedAt: period.start }
  const at = (nowSeconds: bigint) => ({ latest, nowSeconds, chainTimeSeconds: undefined })

  test('behavior: replicas’ clocks may differ by a minute', () => {
    expect(reasonAfter(at(period.start))).toBeUndefined()
    expect(reasonAfter(at(period.start - 60n))).toBeUndefined()
  })

  test('error: a clock 61 s before the last signature was set back', () => {
    expect(reasonAfter(at(period.start - 61n))).toBe('clock_behind')
    expect(messageAfter(at(period.start - 61n))).toMatchInlineSnapshot(
      `"the clock says 2026-07-14 23:58:59 New York, but notes were signed at 2026-07-15 00:00. Correct the clock."`,
    )
  })

  /** A set signed last, so long before the period that its end is this far from the period's start. */
  const gapOf = (gap: bigint, curveAge: bigint): Partial<RailInput> => {
    const end = period.start - gap
    const old = { ...setOf({ noteDay: end - 64_800n, start: end - 64_800n, end }, { 7: 400, 30: 410 }) }
    return { previous: old, latest: old, ...withCurve({ createdAt: period.start - curveAge }) }
  }

  test('behavior: a gap of exactly 7 days passes', () => {
    expect(reasonAfter(gapOf(7n * day, 30n * day))).toBeUndefined()
  })

  test('error: a gap of 7 days and 1 s with an equally old curve may be a wrong clock', () => {
    expect(reasonAfter(gapOf(7n * day + 1n, 30n * day))).toBe('clock_ahead')
    expect(reasonAfter(gapOf(7n * day + 1n, 7n * day + 1n))).toBe('clock_ahead')
    expect(messageAfter(gapOf(7n * day + 1n, 30n * day))).toMatchInlineSnapshot(
      `"the last period with notes ended 2026-07-07 23:59:59 New York, more than 7 days before this one. If the clock is right, confirm that by setting the curve again with \`tallystick curve set\`."`,
    )
  })

  test('behavior: a curve set within 7 days confirms the clock', () => {
    expect(reasonAfter(gapOf(7n * day + 1n, 7n * day))).toBeUndefined()
    expect(reasonAfter(gapOf(400n * day, 0n))).toBeUndefined()
  })

  test('behavior: an old curve passes if the previous period is signed', () => {
    expect(reasonAfter(withCurve({ createdAt: period.start - 400n * day }))).toBeUndefined()
  })
})

describe('clock compared with the chain', () => {
  const now = sound.nowSeconds

  test('behavior: without a chain time, the check is skipped', () => {
    expect(reasonAfter({ chainTimeSeconds: undefined })).toBeUndefined()
  })

  test.each([
    ['60 s ahead of the clock', now + 60n, undefined],
    ['61 s ahead of the clock', now + 61n, 'clock_off_chain'],
    ['900 s behind it', now - 900n, undefined],
    ['901 s behind it', now - 901n, 'clock_off_chain'],
    ['at the beginning of time', 0n, 'clock_off_chain'],
  ])('behavior: newest block %s', (_, chainTimeSeconds, reason) => {
    expect(reasonAfter({ chainTimeSeconds })).toBe(reason)
  })

  test('error: names the clock that is ahead', () => {
    expect(messageAfter({ chainTimeSeconds: now + 61n })).toMatchInlineSnapshot(
      `"the clock is 61 s behind the newest block of chain 324. Correct the clock, or fix the RPC if its time is wrong."`,
    )
    expect(messageAfter({ chainTimeSeconds: now - 901n })).toMatchInlineSnapshot(
      `"the clock is 901 s ahead of the newest block of chain 324. Correct the clock, or fix the RPC if its time is wrong."`,
    )
  })
})

describe('a clock that no database confirms', () => {
  const withTime = (time: RailInput['time']) => ({ chainTimeSeconds: undefined, time })
  const databaseSeconds = sound.nowSeconds

  test('error: blocks seen before contradict it, while no RPC answers', () => {
    const input = withTime({ databaseSeconds: undefined, confirmation: 'contradicted' })
    expect(reasonAfter(input)).toBe('clock_off_chain')
    expect(messageAfter(input)).toMatchInlineSnapshot(
      `"the blocks of a chain contradict the local clock. Correct the clock, or fix the RPC if its time is wrong. \`tallystick doctor\` compares them."`,
    )
  })

  test('behavior: a clock of the database decides, where there is one', () => {
    expect(reasonAfter(withTime({ databaseSeconds, confirmation: 'contradicted' }))).toBeUndefined()
    expect(reasonAfter(withTime({ databaseSeconds: undefined, confirmation: 'confirmed' }))).toBeUndefined()
  })
})

test('behavior: the order of checks is clock, coupon, move, maturity', () => {
  const shortMaturity = { chain: { ...sound.chain, minMaturitySeconds: 10_000_000 } }
  const move = { ...shortMaturity, ...withCurve({ points: { 7: 600, 30: 410 } }) }
  const coupon = { ...shortMaturity, ...withCurve({ points: { 7: 1001, 30: 410 } }) }
  expect(reasonAfter(shortMaturity)).toBe('maturity_too_short')
  expect(reasonAfter(move)).toBe('move_too_large')
  expect(reasonAfter(coupon)).toBe('coupon_out_of_range')
  expect(reasonAfter({ ...coupon, chainTimeSeconds: 0n })).toBe('clock_off_chain')
})
