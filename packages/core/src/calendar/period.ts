import { Temporal } from 'temporal-polyfill'

/** Period of a New York day: 00:00 to 18:00 or 18:00 to 24:00. All members are Unix seconds; `end` is excluded. */
export type Period = {
  /** 00:00 New York of the day the period belongs to. */
  readonly noteDay: bigint
  readonly start: bigint
  readonly end: bigint
}

const timeZone = 'America/New_York'
const eveningStartsAt = Temporal.PlainTime.from('18:00')
// A service asks for the same period many times per second, and the rules of a time zone take a tenth of a millisecond.
let last: Period | undefined

/**
 * Returns the period that contains an instant. It follows the time zone's rules: the day period has 17 hours on the day
 * clocks go forward and 19 on the day they go back.
 *
 * @example
 * periodAt(1793511000n) // 2026-11-01T05:30:00Z
 * // { noteDay: 1793505600n, start: 1793505600n, end: 1793574000n }
 */
export function periodAt(instantSeconds: bigint): Period {
  if (last && last.start <= instantSeconds && instantSeconds < last.end) return last
  last = findPeriod(instantSeconds)
  return last
}

function findPeriod(instantSeconds: bigint): Period {
  const date = newYork(instantSeconds).toPlainDate()
  const noteDay = secondsOf(date.toZonedDateTime({ timeZone }))
  const evening = secondsOf(date.toZonedDateTime({ timeZone, plainTime: eveningStartsAt }))
  if (instantSeconds < evening) return { noteDay, start: noteDay, end: evening }
  return { noteDay, start: evening, end: secondsOf(date.add({ days: 1 }).toZonedDateTime({ timeZone })) }
}

/**
 * Returns the period that starts where this one ends.
 *
 * @example
 * periodAfter(periodAt(1793511000n)).start // 1793574000n, 18:00 of the same day
 */
export function periodAfter(period: Period): Period {
  return periodAt(period.end)
}

/**
 * Returns the maturity of a note: 00:00 New York, `tenorDays` calendar days after the note's day.
 *
 * @example
 * maturityOf({ noteDay: 1793505600n, tenorDays: 7 }) // 1794114000n: one of those days has 25 hours
 */
export function maturityOf({ noteDay, tenorDays }: { readonly noteDay: bigint; readonly tenorDays: number }): bigint {
  const date = newYork(noteDay).toPlainDate().add({ days: tenorDays })
  return secondsOf(date.toZonedDateTime({ timeZone }))
}

/**
 * Formats an instant as New York local time.
 *
 * @example
 * formatNewYork(1793574000n) // '2026-11-01 18:00'
 */
export function formatNewYork(instantSeconds: bigint): string {
  const local = newYork(instantSeconds).toPlainDateTime()
  const smallestUnit = local.second === 0 ? 'minute' : 'second'
  return local.toString({ smallestUnit }).replace('T', ' ')
}

/**
 * Returns the New York date at an instant.
 *
 * @example
 * newYorkDate(1793574000n) // '2026-11-01'
 */
export function newYorkDate(instantSeconds: bigint): string {
  return newYork(instantSeconds).toPlainDate().toString()
}

/**
 * Returns the instant, in Unix seconds, of a New York date and time.
 *
 * @example
 * newYorkInstant({ date: '2026-11-01', time: '18:00' }) // 1793574000n
 */
export function newYorkInstant({ date, time }: { readonly date: string; readonly time: string }): bigint {
  const plainTime = Temporal.PlainTime.from(time)
  return secondsOf(Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime }))
}

/**
 * Formats a period as New York local time.
 *
 * @example
 * formatPeriod(periodAt(1793511000n)) // '2026-11-01, 00:00 to 18:00 New York'
 */
export function formatPeriod(period: Period): string {
  const [day, from] = formatNewYork(period.start).split(' ')
  return `${day}, ${from} to ${from === '18:00' ? '24:00' : '18:00'} New York`
}

function newYork(instantSeconds: bigint): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Number(instantSeconds) * 1000).toZonedDateTimeISO(timeZone)
}

function secondsOf(moment: Temporal.ZonedDateTime): bigint {
  return BigInt(moment.epochMilliseconds / 1000)
}
