import { formatCsv } from '@tallystick/base/pure'
import type { HistoryNotesResponse, HistoryRateResponse } from '@tallystick/core'

/** Columns of the notes' history as CSV: one row per coupon, with the names of the JSON members. */
const notesColumns = [
  'chainid',
  'period_start',
  'period_end',
  'logIndex',
  'maturity',
  'maturity_timestamp',
  'coupon',
] as const

export function formatNotesHistory({ periods }: HistoryNotesResponse): string {
  const rows = periods.flatMap(({ chainid, period_start, period_end, logIndex, coupons }) =>
    coupons.map((coupon) => ({ chainid, period_start, period_end, logIndex, ...coupon })),
  )
  return formatCsv(
    notesColumns,
    rows.map((row) => notesColumns.map((name) => row[name])),
  )
}

/** Columns of the rates' history as CSV: one row per day and tenor. A day without coupons has one row. */
const rateColumns = ['chainid', 'day', 'maturity', 'coupon', 'floatingRate', 'floatingReason'] as const

export function formatRateHistory({ days }: HistoryRateResponse): string {
  const rows = days.flatMap(({ chainid, day, fixedRates, floatingRate, floatingReason }) => {
    const coupons = fixedRates.length > 0 ? fixedRates : [{ maturity: null, coupon: null }]
    return coupons.map(({ maturity, coupon }) => [chainid, day, maturity, coupon, floatingRate, floatingReason])
  })
  return formatCsv(rateColumns, rows)
}
