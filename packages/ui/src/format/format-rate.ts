/**
 * Formats basis points as a percentage with two decimals.
 *
 * @example
 * formatRate(369n) // '3.69%'
 */
export function formatRate(bps: bigint): string {
  const sign = bps < 0n ? '−' : ''
  const size = bps < 0n ? -bps : bps
  return `${sign}${size / 100n}.${String(size % 100n).padStart(2, '0')}%`
}

/**
 * Formats a change in basis points with its sign.
 *
 * @example
 * formatMove(-4n) // '−4 bps'
 */
export function formatMove(bps: bigint): string {
  if (bps === 0n) return '0 bps'
  return `${bps > 0n ? '+' : '−'}${bps > 0n ? bps : -bps} bps`
}
