import { lastBusinessDay } from '../calendar/business-days.ts'
import { newYorkDate, newYorkInstant } from '../calendar/period.ts'

// The Treasury publishes "by 4:15 PM" and is sometimes minutes late. This only separates before from after.
const publicationTime = '16:15'

/**
 * Returns when the bill rates of a date are published, in Unix seconds.
 *
 * @example
 * billRatesPublishedAt('2024-11-22') // 1732310100n, 16:15 New York
 */
export function billRatesPublishedAt(date: string): bigint {
  return newYorkInstant({ date, time: publicationTime })
}

/**
 * Returns the date of the newest bill rates that should be published at an instant.
 *
 * @example
 * newestBillRatesDate(1732489200n) // '2024-11-22': Sunday evening has Friday's
 */
export function newestBillRatesDate(instantSeconds: bigint): string {
  const today = newYorkDate(instantSeconds)
  if (billRatesPublishedAt(today) <= instantSeconds) return lastBusinessDay(today)
  return lastBusinessDay(newYorkDate(newYorkInstant({ date: today, time: '00:00' }) - 1n))
}
