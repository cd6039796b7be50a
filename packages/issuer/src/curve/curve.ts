import { type CurvePoints, type CurveProvenance, type CurveSourceName, TallystickError } from '@tallystick/core'

export type Curve = {
  readonly id: bigint
  /** Null means every chain. */
  readonly chainId: number | null
  /** The period boundary from which the curve is in force, Unix seconds. */
  readonly effectiveFrom: bigint
  readonly points: CurvePoints
  /** Whether the operator accepted moves beyond the rails. */
  readonly confirmed: boolean
  readonly source: CurveSourceName
  /** Origin of the coupons; null if an operator set them. */
  readonly provenance: CurveProvenance | null
  readonly createdBy: string
  /** Service clock, Unix seconds. */
  readonly createdAt: bigint
  /** Index of its entry in the public log; undefined if it is not logged. */
  readonly logIndex?: number | undefined
}

/** Returns the coupons of these tenors. */
export function pickPoints(points: CurvePoints, tenors: readonly number[]): CurvePoints {
  return Object.fromEntries(Object.entries(points).filter(([tenor]) => tenors.includes(Number(tenor))))
}

/**
 * Throws `invalid_curve` unless `points` has coupons in whole basis points for these tenors and no others: for each of
 * them, or for at least one if the curve is for one chain.
 */
export function assertCurvePoints(
  points: CurvePoints,
  { tenors, chainId }: { readonly tenors: readonly number[]; readonly chainId: number | null },
): void {
  const missing = tenors.filter((tenor) => points[tenor] === undefined)
  const isMissing = chainId === null ? missing.length > 0 : Object.keys(points).length === 0
  const faults = [
    ...Object.keys(points)
      .filter((tenor) => !tenors.includes(Number(tenor)))
      .map((tenor) => `${tenor} days is not a configured tenor`),
    ...(isMissing ? missing.map((tenor) => `${tenor} days has no coupon`) : []),
    ...Object.entries(points)
      .filter(([, bps]) => !Number.isSafeInteger(bps) || bps < 1)
      .map(([tenor, bps]) => `the ${tenor}-day coupon is ${bps}, not a positive whole number of basis points`),
  ]
  if (faults.length === 0) return
  const configured = `Configured tenors${chainId === null ? '' : ` of chain ${chainId}`}: ${tenors.join(', ')}.`
  const hint = isMissing && chainId === null ? ' Only the curve of one chain (--chain <id>) may have fewer.' : ''
  throw invalidCurve(`The curve was not stored: ${faults.join('; ')}. ${configured}${hint}`, { faults, tenors })
}

export function invalidCurve(message: string, details?: TallystickError['details']): TallystickError {
  return new TallystickError({ code: 'invalid_curve', message, retryable: false, details })
}

/** Returns the advice to set these coupons, for all chains or one, with `--confirm`, which overrides the move rails. */
export function formatConfirmAdvice(points: CurvePoints, chainId: number | null): string {
  const sorted = Object.entries(points).map(([tenor, bps]) => [Number(tenor), bps] as const)
  const command = formatCommand(sorted.sort(([a], [b]) => a - b))
  return `If this is intended, confirm it with \`${command}${chainId === null ? '' : ` --chain ${chainId}`} --confirm\`.`
}

/** Returns a `curve set` command with a placeholder for each coupon. */
export function formatCurveSetExample(tenors: readonly number[]): string {
  return formatCommand(tenors.map((tenor) => [tenor, '<bps>']))
}

function formatCommand(points: readonly (readonly [tenor: number, bps: unknown])[]): string {
  return `tallystick curve set ${points.map(([tenor, bps]) => `${tenor}=${bps}`).join(' ')}`
}
