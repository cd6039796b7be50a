import { billRatesPublishedAt, type CurveProvenance, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Curve } from '../curve/curve.ts'
import { findCurveInForce, findLastTreasuryCurve, findSignedTreasuryCurve, storeCurveIf } from '../curve/curve-store.ts'
import { assertNotRevised } from './assert-not-revised.ts'
import type { TreasuryCurve } from './fetch-curve.ts'

/**
 * Stores what the Treasury gave as a chain's curve from its first boundary that is not signed, unless it is no news.
 * The rails are not asked here but when notes are signed: a curve that moves too far must come into force and be refused,
 * not leave yesterday's coupons on offer. Throws `TreasuryFeedError` for rates of a date that notes were signed from and
 * that are other ones now.
 */
export async function storeTreasuryCurve(
  database: Database,
  {
    curve,
    chainId,
    nowSeconds,
    bills,
  }: {
    readonly curve: TreasuryCurve
    readonly chainId: number
    readonly nowSeconds: bigint
    /** The bills the operator named, if any. */
    readonly bills?: readonly number[] | undefined
  },
): Promise<Curve | undefined> {
  return storeCurveIf(database, {
    curve: {
      chainId,
      points: curve.points,
      confirmed: false,
      source: 'treasury',
      provenance: curve.provenance,
      createdBy: 'treasury feed',
      createdAt: nowSeconds,
    },
    current: periodAt(nowSeconds),
    chainIds: [chainId],
    // The caller logs it, with more than the audit has.
    auditor: { actor: 'treasury' },
    shouldStore: async (transaction, effective) => {
      const last = await findLastTreasuryCurve(transaction, chainId)
      const inForce = await findCurveInForce(transaction, { chainId, periodStart: effective.start })
      if (!supersedes(curve, { last, inForce })) return false
      assertNotRevised(curve, { used: await findSignedTreasuryCurve(transaction, curve.provenance.sourceDate), bills })
      return true
    },
  })
}

/**
 * Whether a curve replaces the one in force. Never with older rates than were had before. A curve that an operator set
 * stays until rates are published after the boundary it is in force from, so that it is in force at least for one period.
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

/** What a curve says, without where and when it was read: the feed's document is another one with every day. */
function fingerprint({ points, provenance }: TreasuryCurve): string {
  const { sourceDate, basis, spreadBps, interpolation, rounding, bills }: CurveProvenance = provenance
  const coupons = Object.entries(points).sort(([a], [b]) => Number(a) - Number(b))
  const rates = bills.map(({ weeks, ratePercent }) => [weeks, ratePercent])
  return JSON.stringify([sourceDate, basis, spreadBps, interpolation, rounding, rates, coupons])
}
