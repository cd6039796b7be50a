import { fixedIncome, type NoteTerms, partnerFee } from '@tallystick/core'
import { usuallyCompleteFrom } from './claimability.ts'

/** Expected income of a lend, in the dollar token's smallest unit, if it is claimed from `holdsFrom` on. */
export type ExpectedIncome = {
  /** Exact for a lend in the second of `lendTimestamp`, and the least for every earlier one. */
  readonly fixed: bigint
  /** Estimate that assumes a constant floating rate until maturity. */
  readonly floating: bigint
  /** The partner's share of both. */
  readonly fee: bigint
  /** Income of the lender: fixed and floating, minus the fee. */
  readonly net: bigint
  /**
   * From when on a claim usually pays this, Unix seconds: after the UTC day of the maturity, when its floating income is
   * reported. A claim between the maturity and that report pays less, and the rest is lost for good. See `claimability`.
   */
  readonly holdsFrom: bigint
}

/** Inputs of `expectedIncome`. */
export type ExpectedIncomeOptions = {
  /** In the dollar token's smallest unit. */
  readonly principal: bigint
  /**
   * When the lend is mined, Unix seconds. It is not known before: `serverTime` of the notes is close. With the latest
   * acceptable time, the result is the least that the lend pays.
   */
  readonly lendTimestamp: bigint
  /** Basis points per 360-day year, as `rate()` returns it; 0 by default. */
  readonly floatingRate?: bigint | null | undefined
  /** The partner's share of the income, in basis points; 0 by default. */
  readonly partnerFeeBPS?: bigint | undefined
}

/**
 * Returns the income of a lend on a note until maturity. The fixed part is exact for the second of the lend, the floating
 * part is an estimate. Each is rounded down, like the pool does. The position must be claimed from `holdsFrom` on.
 *
 * @example
 * const note = { coupon: 401n, maturityTimestamp: 1739314800n }
 * const terms = { principal: 1000n * 10n ** 18n, lendTimestamp: 1737522000n }
 * expectedIncome(note, terms).fixed // => 2311319444444444444n
 * expectedIncome(note, { ...terms, floatingRate: 1264n }).floating // => 7285555555555555555n
 * expectedIncome(note, terms).holdsFrom // => 1739318400n
 */
export function expectedIncome(
  { coupon, maturityTimestamp }: Pick<NoteTerms, 'coupon' | 'maturityTimestamp'>,
  { principal, lendTimestamp, floatingRate, partnerFeeBPS }: ExpectedIncomeOptions,
): ExpectedIncome {
  const atMaturity = (rate: bigint) =>
    fixedIncome({ principal, coupon: rate, lendTimestamp, maturityTimestamp }, maturityTimestamp)
  const [fixed, floating] = [atMaturity(coupon), atMaturity(floatingRate ?? 0n)]
  const fee = partnerFee({ totalIncome: fixed + floating, partnerFeeBps: partnerFeeBPS ?? 0n })
  return { fixed, floating, fee, net: fixed + floating - fee, holdsFrom: usuallyCompleteFrom(maturityTimestamp) }
}
