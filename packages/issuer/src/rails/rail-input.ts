import type { PoolLimits } from '@tallystick/chain'
import type { Period } from '@tallystick/core'
import type { Curve } from '../curve/curve.ts'
import type { MoveWindow } from '../curve/move-windows.ts'
import type { NoteSet } from '../note-set.ts'
import type { IssuerChain } from '../settings.ts'
import type { ClockStatus } from '../time/clock-comparison.ts'

/** Coupons that a coupon must not move too far from. */
export type MoveInput = Pick<RailInput, 'previous' | 'windows' | 'maxMoveBps'>

/** A curve, and the tenors of a chain that it has a coupon for. */
export type OfferedCurve = {
  readonly curve: Pick<Curve, 'points' | 'confirmed' | 'chainId'>
  readonly tenors: readonly number[]
}

/** Everything the rails check. */
export type RailInput = {
  readonly chain: Pick<IssuerChain, 'id' | 'maxCouponBps' | 'minMaturitySeconds'>
  /** The pool's present limits. Undefined, or a limit is, if it cannot be read: then only the configured ones apply. */
  readonly poolLimits?: PoolLimits | undefined
  readonly period: Period
  /** Tenors on offer on the chain. */
  readonly tenors: readonly number[]
  /** Tenors of all chains, for the commands in messages. */
  readonly curveTenors: readonly number[]
  readonly maxMoveBps: number
  /** Coupons of the day and the week before. */
  readonly windows: readonly MoveWindow[]
  /** Maximum age of a curve made from published rates, New York business days. */
  readonly maxAgeBusinessDays: number
  readonly curve: Curve | undefined
  /** Why the curve source failed to provide a newer curve. */
  readonly sourceProblem?: string | undefined
  /** The newest set of an earlier period. */
  readonly previous: NoteSet | undefined
  /** The set of the latest period, which may be later than this one. */
  readonly latest: NoteSet | undefined
  readonly nowSeconds: bigint
  /** Time of the newest block; undefined if no RPC answers. */
  readonly chainTimeSeconds: bigint | undefined
  /** Comparison of `nowSeconds` with the other clocks. */
  readonly time: ClockStatus
  readonly signAheadSeconds: number
}
