import { fixedIncome } from '@tallystick/core/income/fixed-income'
import { partnerFee } from '@tallystick/core/income/partner-fee'
import type { NoteTerms } from '@tallystick/core/note/note'

/** Expected income of a lend at maturity, in the dollar token's smallest unit. */
export type ExpectedIncome = {
  /** Certain once the lend is mined. */
  readonly fixed: bigint
  /** Estimate that assumes a constant floating rate until maturity. */
  readonly floating: bigint
  /** The partner's share of both. */
  readonly fee: bigint
  /** Income of the lender: fixed and floating, minus the fee. */
  readonly net: bigint
}

/** Inputs of `expectedIncome`. */
export type ExpectedIncomeOptions = {
  /** In the dollar token's smallest unit. */
  readonly principal: bigint
  /** When the lend is mined, Unix seconds; `serverTime` of the notes is close. */
  readonly lendTimestamp: bigint
  /** Basis points per 360-day year, as `rate()` returns it; 0 by default. */
  readonly floatingRate?: bigint | null | undefined
  /** The partner's share of the income, in basis points; 0 by default. */
  readonly partnerFeeBPS?: bigint | undefined
}

/**
 * Returns the income of a lend on a note until maturity. The fixed part is exact, the floating part is an estimate. Each is
 * rounded down, like the pool does.
 *
 * @example
 * const note = { coupon: 401n, maturityTimestamp: 1739314800n }
 * const terms = { principal: 1000n * 10n ** 18n, lendTimestamp: 1737522000n }
 * expectedIncome(note, terms).fixed // => 2311319444444444444n
 * expectedIncome(note, { ...terms, floatingRate: 1264n }).floating // => 7285555555555555555n
 */
export function expectedIncome(
  { coupon, maturityTimestamp }: Pick<NoteTerms, 'coupon' | 'maturityTimestamp'>,
  { principal, lendTimestamp, floatingRate, partnerFeeBPS }: ExpectedIncomeOptions,
): ExpectedIncome {
  const atMaturity = (rate: bigint) =>
    fixedIncome({ principal, coupon: rate, lendTimestamp, maturityTimestamp }, maturityTimestamp)
  const [fixed, floating] = [atMaturity(coupon), atMaturity(floatingRate ?? 0n)]
  const fee = partnerFee({ totalIncome: fixed + floating, partnerFeeBps: partnerFeeBPS ?? 0n })
  return { fixed, floating, fee, net: fixed + floating - fee }
}
