import type { CurveProvenance } from '@tallystick/core'
import type { Curve } from '../curve/curve.ts'
import { formatConfirmAdvice } from '../curve/curve-set-command.ts'
import { TreasuryFeedError } from './feed-error.ts'
import type { TreasuryCurve } from './fetch-curve.ts'

/**
 * Throws `TreasuryFeedError` if notes were signed from the rates of this date and the feed has other ones now. A published
 * row hardly ever changes, and then by a correction that a person can look up; one that was tampered with looks the same.
 */
export function assertNotRevised(
  { points, provenance }: TreasuryCurve,
  {
    used,
    bills,
  }: {
    /** The curve that notes of this date's rates were signed from. */
    readonly used: Curve | undefined
    /** The bills the operator named: that list may have changed, so only the bills of both curves are compared. */
    readonly bills: readonly number[] | undefined
  },
): void {
  // The two bases are different columns of the row.
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
      `The Treasury feed has changed its row of ${provenance.sourceDate}, from which notes are signed: ` +
      `${changes.join(', ')}. The coupons stay as they were. ${formatConfirmAdvice(points)}`,
  })
}

function ratesOf({ bills }: CurveProvenance): ReadonlyMap<number, string> {
  return new Map(bills.map(({ weeks, ratePercent }) => [weeks, ratePercent]))
}
