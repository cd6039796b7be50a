import type { CurveProvenance } from '@tallystick/core'
import type { Curve } from '../curve/curve.ts'
import { formatConfirmAdvice } from '../curve/curve-set-command.ts'
import { TreasuryFeedError } from './feed-error.ts'
import type { TreasuryCurve } from './fetch-curve.ts'

/**
 * Throws `TreasuryFeedError` if notes were signed from the rates of this date and the feed now has different ones. The
 * Treasury rarely corrects a published row, and a tampered row looks the same, so an operator has to decide.
 */
export function assertNotRevised(
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
