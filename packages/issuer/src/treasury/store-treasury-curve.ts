import { billRatesPublishedAt, type CurveProvenance, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { type Curve, formatConfirmAdvice, pickPoints } from '../curve/curve.ts'
import { findCurveInForce, findLastTreasuryCurve, findSignedTreasuryCurve, storeCurveIf } from '../curve/curve-store.ts'
import { TreasuryFeedError } from './feed-error.ts'
import type { TreasuryCurve } from './fetch-curve.ts'

type StoreTreasuryOptions = {
  readonly curve: TreasuryCurve
  readonly chainId: number
  /** Tenors on offer on the chain. The curve has those of all chains. */
  readonly tenors: readonly number[]
  readonly nowSeconds: bigint
  /** The configured bills, if any. */
  readonly bills?: readonly number[] | undefined
}

/**
 * Stores a Treasury curve for a chain, in force from the first unsigned period, unless it is not newer. Does not check the
 * rails: a curve that moves too far must come into force and be refused at signing, so that the old coupons are not used
 * instead. Throws `TreasuryFeedError` if notes were signed from other rates of the same date.
 */
export async function storeTreasuryCurve(
  database: Database,
  { curve, chainId, tenors, nowSeconds, bills }: StoreTreasuryOptions,
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

/**
 * Throws `TreasuryFeedError` if notes were signed from the rates of this date and the feed now has different ones. The
 * Treasury rarely corrects a published row, and a tampered row looks the same, so an operator has to decide.
 */
function assertNotRevised(
  { points, provenance }: TreasuryCurve,
  {
    used,
    bills,
  }: {
    /** The curve of this date from which notes were signed. */
    readonly used: Curve | undefined
    /** The configured bills. The list may have changed, so only bills of both curves are compared. */
    readonly bills: readonly number[] | undefined
  },
): void {
  // Each basis has its own columns in the row.
  if (!used?.provenance || used.provenance.basis !== provenance.basis) return
  const [before, after] = [ratesOf(used.provenance), ratesOf(provenance)]
  const isCompared = (weeks: number) => bills === undefined || (before.has(weeks) && after.has(weeks))
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .filter((weeks) => isCompared(weeks) && Number(before.get(weeks)) !== Number(after.get(weeks)))
    .sort((a, b) => a - b)
  if (changed.length === 0) return
  const show = (rate: string | undefined) => (rate === undefined ? 'none' : `${rate} %`)
  const changes = changed.map((weeks) => `${weeks} weeks from ${show(before.get(weeks))} to ${show(after.get(weeks))}`)
  throw new TreasuryFeedError({
    failure: 'revised',
    message:
      `The Treasury feed changed its row of ${provenance.sourceDate}, from which notes were signed: ` +
      `${changes.join(', ')}. The coupons are unchanged. ${formatConfirmAdvice(points, null)}`,
  })
}

function ratesOf({ bills }: CurveProvenance): ReadonlyMap<number, string> {
  return new Map(bills.map(({ weeks, ratePercent }) => [weeks, ratePercent]))
}
