import { Temporal } from 'temporal-polyfill'
import type { Period } from './period.ts'

/** Period with the date of its New York day. */
export type DatedPeriod = Period & { readonly day: string }

const timeZone = 'America/New_York'
const eveningHour = 18

/**
 * Returns the periods of consecutive New York days, ascending. It looks up the zone's transitions instead of every
 * boundary, because a public endpoint lists a year for anybody.
 *
 * @example
 * listPeriods({ from: '2026-11-01', days: 1 })
 * // [{ day: '2026-11-01', noteDay: 1793505600n, start: 1793505600n, end: 1793574000n },
 * //  { day: '2026-11-01', noteDay: 1793505600n, start: 1793574000n, end: 1793595600n }]
 */
export function listPeriods({ from, days }: { readonly from: string; readonly days: number }): DatedPeriod[] {
  const first = Temporal.PlainDate.from(from)
  const toInstant = createToInstant(first)
  const firstDay = Temporal.PlainDate.from('1970-01-01').until(first).days
  const periods: DatedPeriod[] = []
  let noteDay = toInstant(firstDay, 0)
  for (let index = 0; index < days; index++) {
    const day = first.add({ days: index }).toString()
    const evening = toInstant(firstDay + index, eveningHour)
    const nextDay = toInstant(firstDay + index + 1, 0)
    periods.push({ day, noteDay, start: noteDay, end: evening }, { day, noteDay, start: evening, end: nextDay })
    noteDay = nextDay
  }
  return periods
}

/**
 * Creates a function that converts a New York day, counted from 1970-01-01, and an hour to Unix seconds. Its calls must
 * ascend, and no hour may be skipped or repeated by the zone. That holds for 00:00 and 18:00.
 */
function createToInstant(first: Temporal.PlainDate): (day: number, hour: number) => bigint {
  let zoned = first.toZonedDateTime({ timeZone })
  let change = zoned.getTimeZoneTransition('next')
  return (day, hour) => {
    const local = day * 86_400 + hour * 3_600
    const offset = () => zoned.offsetNanoseconds / 1e9
    while (change && local - offset() >= change.epochMilliseconds / 1000) {
      zoned = change
      change = zoned.getTimeZoneTransition('next')
    }
    return BigInt(local - offset())
  }
}
