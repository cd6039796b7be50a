import type { CurveProvenance } from '../wire/curve-provenance.ts'

/** Coupons in basis points by tenor in days. */
export type CurvePoints = Readonly<Record<string, number>>

export type CurveSourceName = 'manual' | 'treasury'

export type CurveView = {
  readonly id: string
  readonly chainId: number | null
  readonly effectiveFrom: string
  readonly effectiveFromNewYork: string
  readonly points: CurvePoints
  readonly confirmed: boolean
  readonly source: CurveSourceName
  /** Source of the coupons. Null if a person set them. */
  readonly provenance: CurveProvenance | null
  readonly createdBy: string
  readonly createdAt: string
}

/** Curves in force now and next for each chain, and earlier ones. */
export type CurveReport = {
  /** Configured source of curves, besides manual ones. */
  readonly source: CurveSourceName
  /** Why the source has no newer curve, if the service knows. Null if there is no problem. */
  readonly problem: string | null
  readonly chains: readonly ChainCurves[]
  /** Proposals that a second person must approve, newest first. They are not in force. */
  readonly proposals?: readonly ProposalView[] | undefined
  /** Last 20 curves, newest first. */
  readonly history: readonly CurveView[]
}

export type ChainCurves = {
  readonly chainId: number
  /** Tenors that the chain is configured to offer, in days. Only those with a coupon are signed. */
  readonly tenors: readonly number[]
  readonly current: CurveInForce
  readonly next: CurveInForce
}

export type CurveInForce = {
  readonly period: string
  readonly signed: boolean
  /** Whether a new curve no longer applies to the period, because its notes are signed or being signed. */
  readonly isFixed: boolean
  readonly curve: CurveView | null
}

export type ProposalView = {
  readonly id: string
  readonly chainId: number | null
  readonly points: CurvePoints
  readonly proposedBy: string
  readonly effectiveFromNewYork: string
  readonly expiresAt: string
}
