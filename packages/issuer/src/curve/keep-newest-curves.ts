import { periodAt } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import type { Curve } from './curve.ts'
import { findCurveInForce, findNewestCurve, findUnsignedPeriod, insertCurve } from './curve-store.ts'

/**
 * Runs `restore`, which inserts curves of the past with new ids, and keeps the newest curve of each chain in force from the
 * first unsigned period on: it was set last, whatever was restored.
 */
export async function keepNewestCurves<Result>(
  transaction: Queryable,
  {
    chainIds,
    nowSeconds,
    restore,
  }: { readonly chainIds: readonly number[]; readonly nowSeconds: bigint; readonly restore: () => Promise<Result> },
): Promise<Result> {
  const newest = new Map<number, Curve | undefined>()
  for (const chainId of chainIds) newest.set(chainId, await findNewestCurve(transaction, chainId))
  const result = await restore()
  for (const [chainId, curve] of newest) {
    if (curve) await keepInForce(transaction, { curve, chainId, nowSeconds })
  }
  return result
}

async function keepInForce(
  transaction: Queryable,
  { curve, chainId, nowSeconds }: { readonly curve: Curve; readonly chainId: number; readonly nowSeconds: bigint },
): Promise<void> {
  const { start } = await findUnsignedPeriod(transaction, { current: periodAt(nowSeconds), chainIds: [chainId] })
  const effectiveFrom = curve.effectiveFrom > start ? curve.effectiveFrom : start
  const inForce = await findCurveInForce(transaction, { chainId, periodStart: effectiveFrom })
  const isNewer = inForce !== undefined && inForce.createdAt < curve.createdAt
  if (isNewer) await insertCurve(transaction, { ...curve, chainId, effectiveFrom })
}
