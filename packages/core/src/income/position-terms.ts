/** What a position earns by. Timestamps are Unix seconds. */
export type PositionTerms = {
  /** In the token's smallest unit. */
  readonly principal: bigint
  /** Basis points per 360-day year. */
  readonly coupon: bigint
  readonly lendTimestamp: bigint
  readonly maturityTimestamp: bigint
}

/** The last second a position earns for, seen at an instant: never past maturity, never before the lend. */
export function accrualEnd(
  position: Pick<PositionTerms, 'lendTimestamp' | 'maturityTimestamp'>,
  instantSeconds: bigint,
): bigint {
  // A reader's clock may run behind the chain's: what was just lent has then earned nothing yet.
  if (instantSeconds < position.lendTimestamp) return position.lendTimestamp
  return instantSeconds < position.maturityTimestamp ? instantSeconds : position.maturityTimestamp
}
