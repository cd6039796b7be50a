import type { Secret } from '@tallystick/base'
import type { BillBasis, billTerms, NoteDomain } from '@tallystick/core'
import type { Address } from 'viem'
import type { SignerSettings } from './signers/open-signer.ts'

/** Chain whose notes are issued. */
export type IssuerChain = {
  readonly id: number
  readonly name: string
  readonly domain: NoteDomain
  /** Tenors on offer, in days. */
  readonly tenors: readonly number[]
  readonly signer: SignerSettings
  readonly maxCouponBps: number
  readonly minMaturitySeconds: number
  /** Dollar that the pool must name. Not compared by default. */
  readonly dollar?: Address | undefined
  readonly subgraph?: { readonly embedded?: { readonly positions: Address } | undefined } | undefined
}

/** Whether the pool must accept a set before it is published, on chains with an RPC. */
export type PreflightMode = 'require' | 'warn' | 'off'

export type RailSettings = {
  readonly maxMoveBps: number
  /** Against every coupon of the last 24 hours. */
  readonly maxMoveBpsPerDay: number
  /** Against every coupon of the last 7 days. */
  readonly maxMoveBpsPerWeek: number
  /** A manual curve that moves a coupon further needs the approval of a second person. */
  readonly fourEyesAboveBps?: number | undefined
  readonly signAheadSeconds: number
  readonly preflight: PreflightMode
  /** After a key leak: notes of a signer other than the configured one are withheld. */
  readonly earlierSigner: 'serve' | 'withhold'
}

/** Signer of the chains that have none of their own, and what protects all of them from contradicting themselves. */
type CommonSigner = SignerSettings & {
  /** File of the notes that this replica signed. */
  readonly journal: string
  /** Second database, in which all replicas claim what they sign. */
  readonly protection?: Secret | undefined
}

export type IssuerSettings = {
  readonly chains: readonly IssuerChain[]
  /** Tenors of at least one chain. */
  readonly tenors: readonly number[]
  readonly rails: RailSettings
  readonly signer: CommonSigner
  readonly curve: CurveSettings
}

/** Coupons from the bill rates that the Treasury publishes. */
export type TreasurySettings = {
  readonly source: 'treasury'
  readonly basis: BillBasis
  readonly spreadBps: number
  readonly url: string
  /** Bills of the curve, in weeks. Default: all that are published. */
  readonly bills?: readonly (typeof billTerms)[number][] | undefined
  /** A curve older than this on the day of a period is not signed. */
  readonly maxAgeBusinessDays: number
  readonly timeoutMs: number
  /** Second source that the rates are compared with before they are used. */
  readonly plausibility?: PlausibilitySettings | undefined
}

export type PlausibilitySettings = {
  readonly source: 'sofr'
  /** Greatest difference between a bill of up to 8 weeks and SOFR. */
  readonly bandBps: number
  readonly url: string
  /** A SOFR further than this from the day of the rates is not compared. */
  readonly maxAgeBusinessDays: number
}

type CurveSettings = { readonly source: 'manual' } | TreasurySettings

/** Greatest age, in business days, of the Treasury rates that a period is signed with, unless configured. */
export const maxAgeBusinessDaysDefault = 2
