import type { HistoryDay, HistoryPeriod } from '@tallystick/client'
import { utcMidnight } from '@tallystick/ui'

/** Time in which a rate was constant, in Unix seconds. `end` is excluded. */
export type Span = { readonly start: number; readonly end: number; readonly bps: number }

/** Rate over time, ascending. A gap between two spans is a time without a rate. */
export type StepSeries = { readonly name: string; readonly label: string; readonly spans: readonly Span[] }

/** Position of the cursor of a chart: a period or a day, in Unix seconds. */
export type Slot = { readonly start: number; readonly end: number; readonly text: string }

/** Returns a series for each tenor that a period has, by tenor. `periods` are newest first. */
export function listCouponSeries(periods: readonly HistoryPeriod[]): readonly StepSeries[] {
  return listTenors(periods).map((tenorDays) => ({
    name: tenorDays === 1 ? '1 day' : `${tenorDays} days`,
    label: `${tenorDays}d`,
    spans: mergeSpans(
      periods.toReversed().flatMap((period) => {
        const bps = couponOf(period, tenorDays)
        return bps === undefined ? [] : { ...boundsOf(period), bps: Number(bps) }
      }),
    ),
  }))
}

/** Returns all tenors of the periods in days, ascending. */
export function listTenors(periods: readonly HistoryPeriod[]): readonly number[] {
  return [...new Set(periods.flatMap(({ coupons }) => coupons.map(({ maturity }) => maturity)))].sort((a, b) => a - b)
}

/** Returns the coupon of a tenor in a period, or undefined if it had none. */
export function couponOf({ coupons }: HistoryPeriod, tenorDays: number): bigint | undefined {
  return coupons.find(({ maturity }) => maturity === tenorDays)?.coupon
}

/** Returns start and end of a period as numbers. */
export function boundsOf({ periodStart, periodEnd }: HistoryPeriod): { readonly start: number; readonly end: number } {
  return { start: Number(periodStart), end: Number(periodEnd) }
}

/** Returns the floating rate by UTC day. `days` are newest first. */
export function floatingSeries(days: readonly HistoryDay[]): StepSeries {
  const spans = days.toReversed().flatMap(({ day, floatingRate }) => {
    const start = utcMidnight(day)
    return floatingRate === null ? [] : { start, end: start + 86_400, bps: Number(floatingRate) }
  })
  return { name: 'Floating rate', label: '', spans: mergeSpans(spans) }
}

/** Returns the rate at an instant, or undefined in a gap. */
export function rateAt({ spans }: StepSeries, seconds: number): number | undefined {
  return spans.find(({ start, end }) => start <= seconds && seconds < end)?.bps
}

/** Returns whether a series lacks a rate somewhere between the first and the last second of all series. */
export function hasGaps(series: readonly StepSeries[]): boolean {
  const spans = series.flatMap((each) => each.spans)
  const whole = latest(spans) - earliest(spans)
  return series.some((each) => each.spans.reduce((sum, { start, end }) => sum + end - start, 0) < whole)
}

export function earliest(spans: readonly Span[]): number {
  return spans.reduce((first, { start }) => Math.min(first, start), Number.POSITIVE_INFINITY)
}

export function latest(spans: readonly Span[]): number {
  return spans.reduce((last, { end }) => Math.max(last, end), Number.NEGATIVE_INFINITY)
}

/** Joins spans that touch and have the same rate, so that two years of periods stay a short path. */
function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = []
  for (const span of spans) {
    const before = merged.at(-1)
    if (before?.end === span.start && before.bps === span.bps) merged[merged.length - 1] = { ...before, end: span.end }
    else merged.push(span)
  }
  return merged
}
