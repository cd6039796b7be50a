import { createHash } from 'node:crypto'
import type { CouponBound, CurvePoints, Period } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { findCurveInForce } from '../curve/curve-store.ts'
import { listCouponBounds } from '../rails/coupon-bounds.ts'
import type { MoveInput } from '../rails/rail-input.ts'
import type { IssuerChain } from '../settings.ts'

export type TenorPreview = {
  readonly tenorDays: number
  /** Coupon of the curve that it replaces. Undefined if the tenor has none. */
  readonly beforeBps: number | undefined
  readonly afterBps: number | undefined
  readonly bounds: readonly CouponBound[]
}

type PreviewTenorsOptions = {
  readonly chain: IssuerChain
  readonly points: CurvePoints
  readonly effective: Period
  readonly input: MoveInput
}

/** Returns the change of each tenor of a chain, and the ranges that the rails allow. */
export async function previewTenors(
  transaction: Queryable,
  { chain, points, effective, input }: PreviewTenorsOptions,
): Promise<readonly TenorPreview[]> {
  const replaced = await findCurveInForce(transaction, { chainId: chain.id, periodStart: effective.start })
  const before: CurvePoints = replaced?.points ?? {}
  return chain.tenors
    .filter((tenor) => before[tenor] !== undefined || points[tenor] !== undefined)
    .map((tenorDays) => ({
      tenorDays,
      beforeBps: before[tenorDays],
      afterBps: points[tenorDays],
      bounds: listCouponBounds({ chain, ...input }, tenorDays),
    }))
}

type ShownPreview = {
  readonly request: { readonly points: CurvePoints; readonly chainId: number | null }
  readonly effective: Period
  readonly chains: readonly (readonly TenorPreview[])[]
}

/** Returns a digest of what a preview shows: the curve, its boundary, the coupons it replaces and the ranges of the rails. */
export function digestPreview({ request: { points, chainId }, effective, chains }: ShownPreview): string {
  const shown = [chainId, Object.entries(points).toSorted(byTenor), effective.start.toString(), chains]
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}

function byTenor([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return Number(a) - Number(b)
}
