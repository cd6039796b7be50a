import { formatNewYork, formatPeriod } from '@tallystick/core'
import type { ChainPreview, CurvePreview } from '../notes/curve/preview-curve.ts'
import type { CouponBound } from '../notes/issue/coupon-bounds.ts'
import { toIso } from './key-view.ts'

/** Result that setting a curve would have. Nothing was stored. */
export type CurvePreviewReport = {
  /**
   * `store`: it would be in force. `propose`: a second person would have to approve it. `confirm`: it would be refused unless
   * it was confirmed. `refuse`: it would be refused in any case.
   */
  readonly verdict: 'store' | 'propose' | 'confirm' | 'refuse'
  readonly needsApproval: boolean
  readonly effectiveFrom: string
  readonly effectiveFromNewYork: string
  /** First period that it would be in force for. */
  readonly period: string
  readonly chains: readonly {
    readonly chainId: number
    readonly name: string
    readonly tenors: readonly {
      readonly tenorDays: number
      /** Coupon of the curve that it replaces. Null if the tenor has none. */
      readonly beforeBps: number | null
      readonly afterBps: number | null
      readonly changeBps: number | null
      /** Range of the coupon that each rail allows. */
      readonly bounds: readonly CouponBound[]
    }[]
    readonly refusal: ChainPreview['refusal'] | null
    readonly canConfirm: boolean
    /** Why the set would not be signed at the boundary, by the pool's present limits. */
    readonly warning: ChainPreview['warning'] | null
  }[]
}

export function reportPreview({ effective, chains, needsApproval }: CurvePreview): CurvePreviewReport {
  return {
    verdict: judge(chains, needsApproval),
    needsApproval,
    effectiveFrom: toIso(effective.start),
    effectiveFromNewYork: formatNewYork(effective.start),
    period: formatPeriod(effective),
    chains: chains.map(({ chainId, name, tenors, refusal, canConfirm, warning }) => ({
      chainId,
      name,
      tenors: tenors.map(({ tenorDays, beforeBps, afterBps, bounds }) => ({
        tenorDays,
        beforeBps: beforeBps ?? null,
        afterBps: afterBps ?? null,
        changeBps: beforeBps === undefined || afterBps === undefined ? null : afterBps - beforeBps,
        bounds,
      })),
      refusal: refusal ?? null,
      canConfirm,
      warning: warning ?? null,
    })),
  }
}

function judge(chains: readonly ChainPreview[], needsApproval: boolean): CurvePreviewReport['verdict'] {
  const refused = chains.filter(({ refusal }) => refusal)
  if (refused.length === 0) return needsApproval ? 'propose' : 'store'
  return refused.every(({ canConfirm }) => canConfirm) ? 'confirm' : 'refuse'
}
