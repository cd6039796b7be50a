type PartnerFeeOptions = {
  readonly totalIncome: bigint
  readonly partnerFeeBps: bigint
}

/**
 * Returns the partner's share of a position's income, rounded down in the lender's favour. It is deducted from the income.
 *
 * @example
 * partnerFee({ totalIncome: 2311319444444444444n, partnerFeeBps: 250n }) // 57782986111111111n
 */
export function partnerFee({ totalIncome, partnerFeeBps }: PartnerFeeOptions): bigint {
  return (totalIncome * partnerFeeBps) / 10_000n
}
