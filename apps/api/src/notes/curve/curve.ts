import { type CurveProvenance, TallystickError } from '@tallystick/core'

export type CurveSourceName = 'manual' | 'treasury'

/** Coupons in basis points by tenor in days. */
export type CurvePoints = Readonly<Record<string, number>>

export type Curve = {
  readonly id: bigint
  /** Null is every chain. */
  readonly chainId: number | null
  /** The period boundary from which the curve is in force, Unix seconds. */
  readonly effectiveFrom: bigint
  readonly points: CurvePoints
  /** The operator saw that it moves further than the rail allows, and wants that. */
  readonly confirmed: boolean
  readonly source: CurveSourceName
  /** Where the coupons come from, if not from a person. */
  readonly provenance: CurveProvenance | null
  readonly createdBy: string
  /** Service clock, Unix seconds. */
  readonly createdAt: bigint
}

/** Throws `invalid_curve` unless the points give exactly one coupon in whole basis points for each tenor on offer. */
export function assertCurvePoints(points: CurvePoints, tenors: readonly number[]): void {
  const faults = [
    ...Object.keys(points)
      .filter((tenor) => !tenors.includes(Number(tenor)))
      .map((tenor) => `${tenor} days is not on offer`),
    ...tenors.filter((tenor) => points[tenor] === undefined).map((tenor) => `${tenor} days has no coupon`),
    ...Object.entries(points)
      .filter(([, bps]) => !Number.isSafeInteger(bps) || bps < 1)
      .map(([tenor, bps]) => `${tenor} days has coupon ${bps}, not whole basis points above zero`),
  ]
  if (faults.length === 0) return
  throw new TallystickError({
    code: 'invalid_curve',
    message: `The curve was not stored: ${faults.join('; ')}. Tenors on offer: ${tenors.join(', ')}.`,
    retryable: false,
    details: { faults, tenors },
  })
}
