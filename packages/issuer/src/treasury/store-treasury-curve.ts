import { billRatesPublishedAt, type CurveProvenance, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { type Curve, pickPoints } from '../curve/curve.ts'
import { findCurveInForce, findLastTreasuryCurve, findSignedTreasuryCurve, storeCurveIf } from '../curve/curve-store.ts'
import { assertNotRevised } from './assert-not-revised.ts'
import type { TreasuryCurve } from './fetch-curve.ts'

/**
 * Stores a Treasury curve for a chain, in force from the first unsigned period, unless it is not newer. Does not check the
 * rails: a curve that moves too far must come into force and be refused at signing, so that the old coupons are not used
 * instead. Throws `TreasuryFeedError` if notes were signed from other rates of the same date.
 */
export async function storeTreasuryCurve(
  database: Database,
  {
    curve,
    chainId,
    tenors,
    nowSeconds,
    bills,
  }: {
    readonly curve: TreasuryCurve
    readonly chainId: number
    /** Tenors on offer on the chain. The curve has those of all chains. */
    readonly tenors: readonly number[]
    readonly nowSeconds: bigint
    /** The configured bills, if any. */
    readonly bills?: readonly number[] | undefined
  },
): Promise<Curve | undefined> {
  const points = pickPoints(curve.points, tenors)
  return storeCurveIf(database, {
    curve: {
      chainId,
      points,
      confirmed: false,
      source: 'treasury',
      provenance: curve.provenance,
      createdBy: 'treasury feed',
      createdAt: nowSeconds,
    },
    current: periodAt(nowSeconds),
    chainIds: [chainId],
    // The caller logs it, with more details than the audit.
    auditor: { actor: 'treasury' },
    shouldStore: async (transaction, effective) => {
      const last = await findLastTreasuryCurve(transaction, chainId)
      const inForce = await findCurveInForce(transaction, { chainId, periodStart: effective.start })
      if (!supersedes({ ...curve, points }, { last, inForce })) return false
      assertNotRevised(curve, { used: await findSignedTreasuryCurve(transaction, curve.provenance.sourceDate), bills })
      return true
    },
  })
}

/**
 * Returns whether a curve replaces the one in force. Older rates never do. A curve set by an operator stays in force until
 * rates are published after its boundary, so at least for one period.
 */
export function supersedes(
  { points, provenance }: TreasuryCurve,
  { last, inForce }: { readonly last: Curve | undefined; readonly inForce: Curve | undefined },
): boolean {
  if (last?.provenance && provenance.sourceDate < last.provenance.sourceDate) return false
  if (!inForce) return true
  if (!inForce.provenance) return billRatesPublishedAt(provenance.sourceDate) >= inForce.effectiveFrom
  return fingerprint({ points, provenance }) !== fingerprint({ points: inForce.points, provenance: inForce.provenance })
}

/** Returns the content of a curve without the document it was read from, which changes every day. */
function fingerprint({ points, provenance }: TreasuryCurve): string {
  const { sourceDate, basis, spreadBps, interpolation, rounding, bills }: CurveProvenance = provenance
  const coupons = Object.entries(points).sort(([a], [b]) => Number(a) - Number(b))
  const rates = bills.map(({ weeks, ratePercent }) => [weeks, ratePercent])
  return JSON.stringify([sourceDate, basis, spreadBps, interpolation, rounding, rates, coupons])
}
