import type { CurveEntry } from '@tallystick/core'
import type { CurveRecord } from '../monitor-state.ts'

/** Sets of periods that ended longer ago are not expected any more. */
export const keptSeconds = 14n * 86_400n

/** Finds a curve of a chain, or of all chains, by the index of its entry. */
export function findCurve(
  curves: readonly CurveRecord[],
  { chainid, index }: { readonly chainid: string; readonly index: number },
): CurveRecord | undefined {
  return curves.find((curve) => curve.index === index && (curve.chainid === null || curve.chainid === chainid))
}

/**
 * Returns the curve in force for a chain in a period, by the entries before an index: of the curves effective by its start the
 * one with the latest boundary, and of several with the same boundary the newest. A curve for all chains counts like one for
 * this chain.
 */
export function findCurveInForce(
  curves: readonly CurveRecord[],
  { chainid, periodStart, before }: { readonly chainid: string; readonly periodStart: bigint; readonly before: number },
): CurveRecord | undefined {
  return curves
    .filter((curve) => curve.index < before && (curve.chainid === null || curve.chainid === chainid))
    .filter(({ effectiveFrom }) => BigInt(effectiveFrom) <= periodStart)
    .toSorted(byEffect)
    .at(-1)
}

/** Adds a curve. It replaces an older one of the same chain and boundary, which can never be in force again. */
export function addCurve(curves: readonly CurveRecord[], index: number, entry: CurveEntry): CurveRecord[] {
  const { chainid, effectiveFrom, points } = entry
  const others = curves.filter((curve) => curve.chainid !== chainid || curve.effectiveFrom !== effectiveFrom)
  return [...others, { index, chainid, effectiveFrom, points }]
}

/** Drops the curves that were replaced long before a period. */
export function pruneCurves(curves: readonly CurveRecord[], newestPeriod: bigint): CurveRecord[] {
  const horizon = newestPeriod - keptSeconds
  const isOld = ({ effectiveFrom }: CurveRecord) => BigInt(effectiveFrom) <= horizon
  const lastOld = new Map<string | null, CurveRecord>()
  for (const curve of curves.filter(isOld).toSorted(byEffect)) lastOld.set(curve.chainid, curve)
  return curves.filter((curve) => !isOld(curve) || lastOld.get(curve.chainid) === curve)
}

function byEffect(a: CurveRecord, b: CurveRecord): number {
  return Number(BigInt(a.effectiveFrom) - BigInt(b.effectiveFrom)) || a.index - b.index
}
