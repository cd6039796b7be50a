/** Published rates of a bill: bank discount (act/360) or coupon-equivalent yield (act/365). */
export const billBases = ['discount', 'yield'] as const
/** Basis of a bill rate. */
export type BillBasis = (typeof billBases)[number]

/** Terms, in weeks, of the bills that the Treasury publishes rates for. A new term is ignored until it is added here. */
export const billTerms = [4, 6, 8, 13, 17, 26, 52] as const

/** Published rate of a bill. */
type BillRate = {
  /** Term in weeks: 4 for the 4-week bill. */
  readonly weeks: number
  /** Percent per year, as published: `'4.53'`. */
  readonly ratePercent: string
}

/** Basis points as an exact fraction. Coupons are not computed in floating point. */
type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

type BillPoint = { readonly days: number; readonly bps: Fraction }

const percentPattern = /^(-?)(\d{1,3})(?:\.(\d{1,12}))?$/

/**
 * Returns the term of a bill in days: its weeks times 7. The days until the quoted bill matures vary with the weekday and
 * are not used.
 *
 * @example
 * billDays(13) // 91
 */
export function billDays(weeks: number): number {
  return weeks * 7
}

/**
 * Returns coupons, in whole basis points per 360-day year, for tenors in days. The bills' rates are converted to the
 * protocol's day count, interpolated linearly in days, flat beyond the first and the last bill, plus the spread, rounded half
 * up (towards the higher coupon). The computation is exact until the rounding. It needs at least one bill and distinct terms.
 *
 * @example
 * const bills = [{ weeks: 4, ratePercent: '4.53' }, { weeks: 8, ratePercent: '4.47' }, { weeks: 17, ratePercent: '4.40' }]
 * couponsFromBills(bills, { basis: 'discount', spreadBps: -100, tenors: [7, 30, 60] }) // { 7: 353, 30: 353, 60: 347 }
 */
export function couponsFromBills(
  bills: readonly BillRate[],
  {
    basis,
    spreadBps,
    tenors,
  }: { readonly basis: BillBasis; readonly spreadBps: number; readonly tenors: readonly number[] },
): Record<string, number> {
  const points = bills
    .map(({ weeks, ratePercent }) => ({ days: billDays(weeks), bps: toProtocolBps(ratePercent, basis) }))
    .sort((a, b) => a.days - b.days)
  return Object.fromEntries(tenors.map((tenor) => [tenor, roundHalfUp(interpolate(points, tenor)) + spreadBps]))
}

/**
 * Formats a published rate as basis points per 360-day year, with up to four decimals.
 *
 * @example
 * formatProtocolBps('4.53', 'yield') // '446.7945'
 */
export function formatProtocolBps(ratePercent: string, basis: BillBasis): string {
  const { numerator, denominator } = toProtocolBps(ratePercent, basis)
  const scaled = BigInt(roundHalfUp({ numerator: numerator * 10_000n, denominator }))
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(5, '0')
  const decimals = digits.slice(-4).replace(/0+$/, '')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -4)}${decimals && `.${decimals}`}`
}

/**
 * Returns whether a text is a rate: percent in decimal digits.
 *
 * @example
 * isRatePercent('0.00') // true: zero is a rate
 * isRatePercent('N/A') // false
 */
export function isRatePercent(text: string): boolean {
  return percentPattern.test(text)
}

/** Converts to a 360-day year: a bank discount is unchanged, a coupon-equivalent yield (365 days) is multiplied by 360/365. */
function toProtocolBps(ratePercent: string, basis: BillBasis): Fraction {
  const { numerator, denominator } = parseBps(ratePercent)
  return basis === 'discount'
    ? { numerator, denominator }
    : { numerator: numerator * 360n, denominator: denominator * 365n }
}

function parseBps(ratePercent: string): Fraction {
  const match = percentPattern.exec(ratePercent)
  if (!match) throw new RangeError(`"${ratePercent}" is not a rate in percent`)
  const [, sign, whole = '', decimals = ''] = match
  const digits = BigInt(whole + decimals) * 100n
  return { numerator: sign ? -digits : digits, denominator: 10n ** BigInt(decimals.length) }
}

function interpolate(points: readonly BillPoint[], days: number): Fraction {
  const after = points.findIndex((point) => point.days >= days)
  const right = points[after === -1 ? points.length - 1 : after]
  if (!right) throw new RangeError('a curve needs at least one bill')
  const left = points[after - 1]
  if (after <= 0 || !left) return right.bps
  const span = BigInt(right.days - left.days)
  const weightOfRight = BigInt(days - left.days)
  return {
    numerator:
      left.bps.numerator * right.bps.denominator * (span - weightOfRight) +
      right.bps.numerator * left.bps.denominator * weightOfRight,
    denominator: left.bps.denominator * right.bps.denominator * span,
  }
}

/** Rounds halves towards positive infinity, so that whole basis points can be added before or after. */
function roundHalfUp({ numerator, denominator }: Fraction): number {
  const doubled = 2n * numerator + denominator
  const quotient = doubled / (2n * denominator)
  const isExact = doubled % (2n * denominator) === 0n
  return Number(doubled < 0n && !isExact ? quotient - 1n : quotient)
}
