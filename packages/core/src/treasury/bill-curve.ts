/** Which of the two published rates of a bill: bank discount (act/360) or coupon-equivalent (act/365). */
export const billBases = ['discount', 'yield'] as const
export type BillBasis = (typeof billBases)[number]

/** The terms, in weeks, of the bills the Treasury publishes rates of. One it adds is not used until it is added here. */
export const billTerms = [4, 6, 8, 13, 17, 26, 52] as const

/** A published rate of a bill. */
export type BillRate = {
  /** Its term in weeks: the 4-week bill is 4. */
  readonly weeks: number
  /** Percent per year, as published: `'4.53'`. */
  readonly ratePercent: string
}

/** A number of basis points as a fraction, so that no floating point decides a coupon. */
type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

type BillPoint = { readonly days: number; readonly bps: Fraction }

const percentPattern = /^(-?)(\d{1,3})(?:\.(\d{1,12}))?$/

/**
 * The term of a bill in days, as the curve counts it: its weeks, not the days to the maturity of the very bill that was
 * quoted, which differ from one weekday to the next.
 *
 * @example
 * billDays(13) // 91
 */
export function billDays(weeks: number): number {
  return weeks * 7
}

/**
 * Coupons, in whole basis points per 360-day year, for tenors in days: the bills' rates on the protocol's day count,
 * linear in days between two bills, flat beyond the first and the last, plus the spread, rounded half up (towards the
 * higher coupon). Exact until the rounding. There must be at least one bill, and no term twice.
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
 * A published rate in basis points per 360-day year, to four decimals, for people to read.
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
 * Whether a text is a rate: percent in plain decimal digits.
 *
 * @example
 * isRatePercent('0.00') // true: zero is a rate
 * isRatePercent('N/A') // false
 */
export function isRatePercent(text: string): boolean {
  return percentPattern.test(text)
}

/** A bank discount counts 360 days already; a coupon-equivalent counts 365 and becomes 360/365 of itself. */
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

/** Towards positive infinity at the half, so that adding whole basis points before or after makes no difference. */
function roundHalfUp({ numerator, denominator }: Fraction): number {
  const doubled = 2n * numerator + denominator
  const quotient = doubled / (2n * denominator)
  const isExact = doubled % (2n * denominator) === 0n
  return Number(doubled < 0n && !isExact ? quotient - 1n : quotient)
}
