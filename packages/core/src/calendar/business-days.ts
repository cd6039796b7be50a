import { Temporal } from 'temporal-polyfill'

// 5 U.S.C. 6103(a): holidays on a fixed date. Juneteenth is the only one recent enough to need a start year.
const fixedHolidays: ReadonlySet<string> = new Set(['01-01', '06-19', '07-04', '11-11', '12-25'])
const juneteenthSince = 2021
// Week of the holiday on a Monday, by month. Memorial Day is on the last Monday of May.
const mondayHolidays: Readonly<Record<number, number>> = {
  1: 3, // Martin Luther King, Jr.
  2: 3, // Washington's Birthday
  9: 1, // Labor Day
  10: 2, // Columbus Day
}
const may = 5
const monday = 1
const thursday = 4
const friday = 5
const saturday = 6

/**
 * Returns the number of business days after one date, up to and including another.
 *
 * @example
 * countBusinessDays({ after: '2026-07-02', upTo: '2026-07-06' }) // 1: Thursday to Monday, the Friday being a holiday
 */
export function countBusinessDays({ after, upTo }: { readonly after: string; readonly upTo: string }): number {
  let count = 0
  let day = Temporal.PlainDate.from(after).add({ days: 1 })
  const last = Temporal.PlainDate.from(upTo)
  while (Temporal.PlainDate.compare(day, last) <= 0) {
    if (isTradingDay(day)) count++
    day = day.add({ days: 1 })
  }
  return count
}

/**
 * Returns the date itself if it is a business day, otherwise the last business day before it.
 *
 * @example
 * lastBusinessDay('2026-07-05') // '2026-07-02'
 */
export function lastBusinessDay(date: string): string {
  let day = Temporal.PlainDate.from(date)
  while (!isTradingDay(day)) day = day.subtract({ days: 1 })
  return day.toString()
}

/**
 * Returns whether the New York bond market trades on a date, so that the Treasury publishes its rates. It does not on
 * weekends, on US federal holidays as observed (5 U.S.C. 6103(b): the Friday before a Saturday; Executive Order 11582: the
 * Monday after a Sunday) and on Good Friday.
 *
 * The market does trade on a few of these days: on the Friday before New Year's Day or Veterans Day, and on a Good Friday
 * with an employment report. This is not known a year ahead, so all of them count as holidays. An age in business days may
 * then be one too low, and valid rates are never rejected because of it.
 */
function isTradingDay(day: Temporal.PlainDate): boolean {
  return day.dayOfWeek < saturday && !isFixedHoliday(day) && !isFloatingHoliday(day) && !isGoodFriday(day)
}

function isFixedHoliday(day: Temporal.PlainDate): boolean {
  const isHoliday = (date: Temporal.PlainDate) =>
    fixedHolidays.has(date.toPlainMonthDay().toString()) && (date.month !== 6 || date.year >= juneteenthSince)
  if (isHoliday(day)) return true
  if (day.dayOfWeek === friday) return isHoliday(day.add({ days: 1 }))
  return day.dayOfWeek === monday && isHoliday(day.subtract({ days: 1 }))
}

/** Returns whether a day is a holiday on the nth weekday of a month. */
function isFloatingHoliday({ month, day, dayOfWeek, daysInMonth }: Temporal.PlainDate): boolean {
  const week = Math.ceil(day / 7)
  if (dayOfWeek === thursday) return month === 11 && week === 4
  if (dayOfWeek !== monday) return false
  return month === may ? day + 7 > daysInMonth : week === mondayHolidays[month]
}

function isGoodFriday(day: Temporal.PlainDate): boolean {
  const isSeason = day.month === 3 || day.month === 4
  return isSeason && day.dayOfWeek === friday && day.equals(easterSunday(day.year).subtract({ days: 2 }))
}

/** Returns Easter Sunday of the Gregorian calendar (anonymous algorithm, Nature 1876; Meeus, ch. 8). */
function easterSunday(year: number): Temporal.PlainDate {
  const century = Math.floor(year / 100)
  const yearOfCentury = year % 100
  const golden = year % 19
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const month = Math.floor((epact + weekday - 7 * shift + 114) / 31)
  const day = ((epact + weekday - 7 * shift + 114) % 31) + 1
  return Temporal.PlainDate.from({ year, month, day })
}
