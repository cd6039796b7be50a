import { type CurveProvenance, TallystickError } from '@tallystick/core'

export type CurveSourceName = 'manual' | 'treasury'

/** Coupons in basis points by tenor in days. */
export type CurvePoints = Readonly<Record<string, number>>

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
}

/** Throws `invalid_curve` unless `points` has exactly one coupon, in whole basis points, for each configured tenor. */
export function assertCurvePoints(points: CurvePoints, tenors: readonly number[]): void {
  const faults = [
    ...Object.keys(points)
      .filter((tenor) => !tenors.includes(Number(tenor)))
      .map((tenor) => `${tenor} days is not a configured tenor`),
    ...tenors.filter((tenor) => points[tenor] === undefined).map((tenor) => `${tenor} days has no coupon`),
    ...Object.entries(points)
      .filter(([, bps]) => !Number.isSafeInteger(bps) || bps < 1)
      .map(([tenor, bps]) => `the ${tenor}-day coupon is ${bps}, not a positive whole number of basis points`),
  ]
  if (faults.length === 0) return
  throw new TallystickError({
    code: 'invalid_curve',
    message: `The curve was not stored: ${faults.join('; ')}. Configured tenors: ${tenors.join(', ')}.`,
    retryable: false,
    details: { faults, tenors },
  })
}
