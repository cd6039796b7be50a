import { type FloatingAccumulator, fixedIncome, floatingIncome, type PositionTerms, partnerFee } from '@tallystick/core'

/** Floating income that a pool has reported, and the time. `floatingAccumulator` makes it from `client.floatingIncomes()`. */
export type ReportedIncome = FloatingAccumulator & {
  /** Time of the chain, Unix seconds. */
  readonly now: bigint
}

/** Terms of a position that decide what a claim pays. `Position` and `LentPosition` have them. */
export type ClaimTerms = PositionTerms & {
  /** The partner's share of the income, in basis points. */
  readonly partnerFeeBPS: bigint
}

/** Income of a claim, in the dollar token's smallest unit. */
export type ClaimIncome = {
  readonly fixed: bigint
  readonly floating: bigint
  /** Both, as `totalIncome` of the pool's event `Claim` states them. */
  readonly total: bigint
  /** The partner's share of the total. */
  readonly fee: bigint
  /** Income that the beneficiary gets in addition to the principal. */
  readonly net: bigint
}

/**
 * Whether a claim pays all the income of a position. The pool pays the floating income of the days that are reported, burns
 * the position and never pays the rest. `complete`: the day of the maturity (UTC) is reported, so that nothing is missing.
 * `income_not_reported`: a claim now loses `missingIncome` for good. `not_matured`: the pool rejects a claim.
 */
export type Claimability = {
  readonly status: 'complete' | 'income_not_reported' | 'not_matured'
  /** Last UTC day whose floating income is reported, in days since 1970; 0 if there is none. */
  readonly lastReportedDay: bigint
  /** UTC day of the maturity, in days since 1970. */
  readonly maturityDay: bigint
  /** Income that a claim pays with the days reported so far. Exact from the maturity on. */
  readonly paidNow: ClaimIncome
  /**
   * Income that a claim pays once the day of the maturity is reported. If `status` is not `complete`, it is an estimate:
   * each missing day is assumed to earn what the last reported day did.
   */
  readonly expectedAfter: ClaimIncome
  /** Estimate of what a claim now loses: `net` of `expectedAfter` minus that of `paidNow`. */
  readonly missingIncome: bigint
  /**
   * When the report of the day of the maturity is usually there, Unix seconds: from the end of that UTC day on. If it has
   * passed and `status` is not `complete`, the report is late.
   */
  readonly completeFrom: bigint
}

const secondsPerDay = 86_400n

/**
 * Returns what a claim of a position pays, and whether that is all. A claim that comes before the pool has the floating
 * income of the maturity's UTC day loses income for good.
 *
 * @example
 * const position = {
 *   ...{ principal: 1000n * 10n ** 18n, coupon: 401n, partnerFeeBPS: 0n },
 *   ...{ lendTimestamp: 1737522000n, maturityTimestamp: 1739314800n },
 * }
 * // The maturity is on day 20130. Day 20129 is the last one that is reported.
 * const days = [20128n, 20129n].map((day) => ({ day, accFloatingIncome: (day - 20109n) * 4n * 10n ** 16n }))
 * const { status, missingIncome, completeFrom } = claimability(position, { ...floatingAccumulator(days), now: 1739314800n })
 * status // => 'income_not_reported'
 * missingIncome // => 331200000000000000n
 * completeFrom // => 1739318400n
 */
export function claimability(position: ClaimTerms, reported: ReportedIncome): Claimability {
  const maturityDay = utcDayOf(position.maturityTimestamp)
  const isComplete = reported.lastUpdatedDay >= maturityDay
  const paidNow = incomeAtMaturity(position, reported)
  const expectedAfter = isComplete ? paidNow : incomeAtMaturity(position, extrapolate(reported, maturityDay))
  const incomplete = reported.now >= position.maturityTimestamp ? 'income_not_reported' : 'not_matured'
  return {
    // Only days that are over can be reported, so that a complete position has matured, whatever `now` says.
    status: isComplete ? 'complete' : incomplete,
    lastReportedDay: reported.lastUpdatedDay,
    maturityDay,
    paidNow,
    expectedAfter,
    missingIncome: expectedAfter.net - paidNow.net,
    completeFrom: usuallyCompleteFrom(position.maturityTimestamp),
  }
}

/** Returns the UTC day of an instant, in days since 1970. */
export function utcDayOf(seconds: bigint): bigint {
  return seconds / secondsPerDay
}

/** Returns when the floating income of a maturity's day is usually reported: `nextSyncExpectedAt` of that day's end. */
export function usuallyCompleteFrom(maturityTimestamp: bigint): bigint {
  return (utcDayOf(maturityTimestamp) + 1n) * secondsPerDay
}

function incomeAtMaturity(position: ClaimTerms, accumulator: FloatingAccumulator): ClaimIncome {
  const instantSeconds = position.maturityTimestamp
  const fixed = fixedIncome(position, instantSeconds)
  const floating = floatingIncome(position, { ...accumulator, instantSeconds })
  const total = fixed + floating
  const fee = partnerFee({ totalIncome: total, partnerFeeBps: position.partnerFeeBPS })
  return { fixed, floating, total, fee, net: total - fee }
}

/** Continues the sums with the income of the last reported day. */
function extrapolate({ lastUpdatedDay, accFloatingIncome }: FloatingAccumulator, until: bigint): FloatingAccumulator {
  const known = accFloatingIncome(lastUpdatedDay)
  const daily = lastUpdatedDay === 0n ? 0n : known - accFloatingIncome(lastUpdatedDay - 1n)
  return {
    lastUpdatedDay: until,
    accFloatingIncome: (day) =>
      day <= lastUpdatedDay ? accFloatingIncome(day) : known + (day - lastUpdatedDay) * daily,
  }
}
