import { formatCsv } from '@tallystick/base/pure'
import type { HistoryDay, HistoryPeriod } from '@tallystick/client'

/** Formats coupons as CSV, with the columns of `GET /history/notes`: one row per coupon. */
export function formatPeriodsCsv(periods: readonly HistoryPeriod[]): string {
  return formatCsv(
    ['chainid', 'period_start', 'period_end', 'logIndex', 'maturity', 'maturity_timestamp', 'coupon'],
    periods.flatMap(({ chainId, periodStart, periodEnd, logIndex, coupons }) =>
      coupons.map(({ maturity, maturityTimestamp, coupon }) => [
        ...[chainId, String(periodStart), String(periodEnd), logIndex],
        ...[maturity, String(maturityTimestamp), String(coupon)],
      ]),
    ),
  )
}

/** Formats floating rates as CSV, one row per day. */
export function formatDaysCsv(days: readonly HistoryDay[]): string {
  return formatCsv(
    ['chainid', 'day', 'floatingRate', 'floatingReason'],
    days.map(({ chainId, day, floatingRate, floatingReason }) => [
      ...[chainId, day, floatingRate === null ? null : String(floatingRate), floatingReason],
    ]),
  )
}
