import type { TreasurySettings } from '../settings.ts'
import { checkPlausibility } from './check-plausibility.ts'
import type { FetchedCurve } from './fetch-curve.ts'
import { fetchSofr, type Sofr } from './fetch-sofr.ts'

/** SOFR, or why it could not be fetched; undefined if it is not configured. */
export type SofrResult = Sofr | { readonly problem: string } | undefined

/** Fetches SOFR if it is configured. Never throws. */
export async function readSofr(
  { plausibility, timeoutMs }: TreasurySettings,
  signal: AbortSignal,
): Promise<SofrResult> {
  if (!plausibility) return undefined
  return fetchSofr(plausibility.url, { timeoutMs, signal }).catch((error: Error) => ({
    problem: `${error.message} The Treasury’s rates are not compared with it.`,
  }))
}

/** Throws if SOFR contradicts a curve. Returns why a configured comparison was not possible, or undefined. */
export function compareWithSofr(
  curve: FetchedCurve,
  { sofr, plausibility }: { readonly sofr: SofrResult; readonly plausibility: TreasurySettings['plausibility'] },
): string | undefined {
  if (!sofr || !plausibility) return undefined
  return 'problem' in sofr ? sofr.problem : checkPlausibility(curve, { sofr, config: plausibility })
}
