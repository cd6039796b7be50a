import type { HistoryDay, HistoryPeriod } from './history-response.ts'

/** Table of a history. Programs parse the first columns, so further ones come after them. */
export type HistoryTable = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number | null)[])[]
}

// Intl, because the page has no code of Temporal. Swedish dates are ISO 8601.
const utcFormat = new Intl.DateTimeFormat('sv', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'medium' })
const newYorkFormat = new Intl.DateTimeFormat('sv', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'short',
})

/**
 * Returns the coupons of periods as a table, one row per coupon: first the JSON members, then dates and percentages for
 * people.
 */
export function tabulatePeriods(periods: readonly HistoryPeriod[]): HistoryTable {
  return {
    columns: [
      ...['chainid', 'period_start', 'period_end', 'logIndex', 'maturity', 'maturity_timestamp', 'coupon'],
      ...['period', 'period_start_utc', 'period_end_utc', 'maturity_day_new_york', 'coupon_percent'],
    ],
    rows: periods.flatMap(({ chainid, period_start, period_end, logIndex, coupons }) => {
      const period = [chainid, period_start, period_end, logIndex]
      const readable = [namePeriod(period_start), formatUtc(period_start), formatUtc(period_end)]
      return coupons.map(({ maturity, maturity_timestamp, coupon }) => [
        ...[...period, maturity, maturity_timestamp, coupon],
        ...[...readable, newYork(maturity_timestamp).day, formatPercent(coupon)],
      ])
    }),
  }
}

/** Returns the rates of days as a table, one row per day and tenor. A day without coupons has one row. */
export function tabulateDays(days: readonly HistoryDay[]): HistoryTable {
  return {
    columns: [
      ...['chainid', 'day', 'maturity', 'coupon', 'floatingRate', 'floatingReason'],
      ...['coupon_percent', 'floating_percent'],
    ],
    rows: days.flatMap(({ chainid, day, fixedRates, floatingRate, floatingReason }) => {
      const coupons = fixedRates.length > 0 ? fixedRates : [{ maturity: null, coupon: null }]
      return coupons.map(({ maturity, coupon }) => [
        ...[chainid, day, maturity, coupon, floatingRate, floatingReason],
        ...[coupon && formatPercent(coupon), floatingRate && formatPercent(floatingRate)],
      ])
    }),
  }
}

/**
 * Formats basis points as a percentage, without its sign.
 *
 * @example
 * formatPercent('369') // '3.69'
 */
export function formatPercent(bps: string): string {
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(bps) ?? []
  const padded = digits.padStart(3, '0')
  return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`
}

/**
 * Formats an instant in Unix seconds as ISO 8601 in UTC.
 *
 * @example
 * formatUtc('1793574000') // '2026-11-01T23:00:00Z'
 */
export function formatUtc(seconds: string): string {
  return `${utcFormat.format(Number(seconds) * 1000).replace(' ', 'T')}Z`
}

function newYork(seconds: string): { readonly day: string; readonly time: string } {
  const [day = '', time = ''] = newYorkFormat.format(Number(seconds) * 1000).split(' ')
  return { day, time }
}

function namePeriod(start: string): string {
  const { day, time } = newYork(start)
  return `${day} ${time} to ${time === '18:00' ? '24:00' : '18:00'} New York`
}
