import type { RefusalReport } from './notes-report.ts'

/** Result that setting a curve would have. Nothing was stored. */
export type CurvePreviewReport = {
  /**
   * `store`: it would be in force. `propose`: a second person would have to approve it. `confirm`: it would be refused unless
   * it was confirmed. `refuse`: it would be refused in any case.
   */
  readonly verdict: 'store' | 'propose' | 'confirm' | 'refuse'
  readonly needsApproval: boolean
  /** Names the curve and what it changes. Setting a curve with it as `preview` refuses any other. */
  readonly digest: string
  readonly effectiveFrom: string
  readonly effectiveFromNewYork: string
  /** First period that it would be in force for. */
  readonly period: string
  readonly chains: readonly {
    readonly chainId: number
    readonly name: string
    readonly tenors: readonly TenorPreviewReport[]
    readonly refusal: RefusalReport | null
    readonly canConfirm: boolean
    /** Why the set would not be signed at the boundary, by the pool's present limits. */
    readonly warning: RefusalReport | null
  }[]
}

export type TenorPreviewReport = {
  readonly tenorDays: number
  /** Coupon of the curve that it replaces. Null if the tenor has none. */
  readonly beforeBps: number | null
  readonly afterBps: number | null
  readonly changeBps: number | null
  /** Range of the coupon that each rail allows. */
  readonly bounds: readonly CouponBound[]
}

/** Range that a rail allows for the coupon of one tenor, basis points, bounds included. */
export type CouponBound = {
  /** Member of the configuration that sets it. */
  readonly rail: string
  readonly lowestBps: number
  readonly highestBps: number
  /** Whether a confirmed curve may leave the range. */
  readonly canConfirm: boolean
}
