/** Inputs of a position's income. Timestamps are Unix seconds. */
export type PositionTerms = {
  /** In the token's smallest unit. */
  readonly principal: bigint
  /** Basis points per 360-day year. */
  readonly coupon: bigint
  readonly lendTimestamp: bigint
  /** End of the income, and when the pool first accepts a claim. Its UTC day is reported after the day is over. */
  readonly maturityTimestamp: bigint
}

/** Returns the end of the accrual at an instant: never after maturity, never before the lend. */
export function accrualEnd(
  position: Pick<PositionTerms, 'lendTimestamp' | 'maturityTimestamp'>,
  instantSeconds: bigint,
): bigint {
  // A reader's clock may be behind the chain's. A new position has then earned nothing.
  if (instantSeconds < position.lendTimestamp) return position.lendTimestamp
  return instantSeconds < position.maturityTimestamp ? instantSeconds : position.maturityTimestamp
}
