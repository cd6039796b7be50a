import { formatCsv } from '@tallystick/base/pure'
import type { HistoryDay, HistoryPeriod } from '@tallystick/client'
import { formatPercent, tabulatePeriods } from '@tallystick/core'

/** Formats coupons as CSV, with the columns of `GET /history/notes`: one row per coupon. */
export function formatPeriodsCsv(periods: readonly HistoryPeriod[]): string {
  const { columns, rows } = tabulatePeriods(
    periods.map(({ chainId, periodStart, periodEnd, logIndex, coupons }) => ({
      ...{ chainid: String(chainId), period_start: String(periodStart), period_end: String(periodEnd), logIndex },
      coupons: coupons.map(({ maturity, maturityTimestamp, coupon }) => ({
        ...{ maturity, maturity_timestamp: String(maturityTimestamp), coupon: String(coupon) },
      })),
    })),
  )
  return formatCsv(columns, rows)
}

/** Formats floating rates as CSV, one row per day. */
export function formatDaysCsv(days: readonly HistoryDay[]): string {
  return formatCsv(
    ['chainid', 'day', 'floatingRate', 'floatingReason', 'floating_percent'],
    days.map(({ chainId, day, floatingRate, floatingReason }) => {
      const bps = floatingRate === null ? null : String(floatingRate)
      return [chainId, day, bps, floatingReason, bps && formatPercent(bps)]
    }),
  )
}
