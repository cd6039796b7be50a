const dayMs = 86_400_000

/** Returns the days from 1970-01-01 to a date. */
export function dayNumber(date: string): number {
  return Date.parse(date) / dayMs
}

/** Returns the date of a day counted from 1970-01-01. */
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Returns the date some days later, or earlier if `days` is negative. */
export function addDays(date: string, days: number): string {
  return dateOfDay(dayNumber(date) + days)
}
