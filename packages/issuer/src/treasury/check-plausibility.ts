import { countBusinessDays } from '@tallystick/core'
import { formatConfirmAdvice } from '../curve/curve.ts'
import type { PlausibilitySettings, TreasurySettings } from '../settings.ts'
import { TreasuryFeedError } from './feed-error.ts'
import type { TreasuryCurve } from './fetch-curve.ts'
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
  curve: TreasuryCurve,
  { sofr, plausibility }: { readonly sofr: SofrResult; readonly plausibility: TreasurySettings['plausibility'] },
): string | undefined {
  if (!sofr || !plausibility) return undefined
  return 'problem' in sofr ? sofr.problem : checkPlausibility(curve, { sofr, config: plausibility })
}

// Bills of up to two months follow the overnight rate. Longer ones follow its expected future values.
const daysMax = 56

/**
 * Compares the shortest bills of a curve with SOFR. Throws `TreasuryFeedError` if one is outside the band. Returns why they
 * could not be compared, or undefined.
 */
export function checkPlausibility(
  { points, provenance: { sourceDate, bills } }: TreasuryCurve,
  { sofr, config }: { readonly sofr: Sofr; readonly config: PlausibilitySettings },
): string | undefined {
  const [older, newer] = sofr.date < sourceDate ? [sofr.date, sourceDate] : [sourceDate, sofr.date]
  const age = countBusinessDays({ after: older, upTo: newer })
  if (age > config.maxAgeBusinessDays) {
    return (
      `The newest SOFR is of ${sofr.date}, ${age} business days from the Treasury’s rates of ${sourceDate}. ` +
      `The limit is ${config.maxAgeBusinessDays} (curve.plausibility.maxAgeBusinessDays). The rates are not compared with it.`
    )
  }
  const short = bills.filter(({ days }) => days <= daysMax)
  for (const { weeks, bps } of short.length > 0 ? short : bills.slice(0, 1)) {
    // Rounded to four decimals, like the bills: 4.57 × 100 is 457.00000000000006.
    const difference = Math.round((Number(bps) - sofr.percent * 100) * 10_000) / 10_000
    if (Math.abs(difference) <= config.bandBps) continue
    throw new TreasuryFeedError({
      failure: 'off_sofr',
      message:
        `In the Treasury feed’s row of ${sourceDate} the ${weeks}-week bill is at ${bps} bps, ${difference.toFixed(1)} from ` +
        `SOFR of ${sofr.date} (${sofr.percent} %). The band is ${config.bandBps} (curve.plausibility.bandBps). ${formatConfirmAdvice(points, null)}`,
    })
  }
  return undefined
}
