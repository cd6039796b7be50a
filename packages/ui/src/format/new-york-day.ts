import { isoDate, newYorkZone } from './format-time.ts'

const dayMs = 86_400_000

/**
 * Returns the New York date at an instant in Unix seconds.
 *
 * @example
 * newYorkDate(1793574000) // '2026-11-01'
 */
export function newYorkDate(seconds: number): string {
  return isoDate(seconds, newYorkZone)
}

/** Returns 00:00 UTC of a date, in Unix seconds. */
export function utcMidnight(date: string): number {
  return Date.parse(date) / 1000
}

/**
 * Returns the date some days later, or earlier if `days` is negative.
 *
 * @example
 * addDays('2026-03-01', -1) // '2026-02-28'
 */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the number of days from one date to another, both included. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs + 1
}

/** Returns whether a text is a date that exists, such as 2028-02-29. */
export function isDate(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false
  const at = Date.parse(text)
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text)
}
