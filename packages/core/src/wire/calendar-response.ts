import { z } from 'zod'
import { isDstPeriod } from '../calendar/format-icalendar.ts'
import type { DatedPeriod } from '../calendar/list-periods.ts'
import { dateField, field, flagField, secondsField, textField } from './fields.ts'

/** Period in the response of `GET /calendar`. */
export const calendarPeriodSchema = z.strictObject({
  day: dateField('New York day of the period.', '2026-11-01'),
  start: secondsField('First second of the period: 00:00 or 18:00 New York.', '1793505600'),
  end: secondsField('First second after the period: 18:00 or 24:00 New York.', '1793574000'),
  hours: field(z.int().positive(), {
    description: 'Length of the period: 18 or 6, and 17 or 19 where the clocks change.',
    unit: 'hours',
    example: 19,
  }),
  isDstDay: flagField('Whether the clocks change in this period, so that it has 17 or 19 hours.', true),
})
/** Period in the response of `GET /calendar`. */
export type CalendarPeriod = z.infer<typeof calendarPeriodSchema>

/** Response body of `GET /calendar` (DESIGN.md §2.5). */
export const calendarResponseSchema = z.strictObject({
  message: textField('The days of the calendar.', 'Periods of 2026-11-01 to 2026-11-14, New York.'),
  periods: z.array(calendarPeriodSchema).meta({ description: 'Two periods per day, ascending.' }),
})
/** Response body of `GET /calendar`. */
export type CalendarResponse = z.infer<typeof calendarResponseSchema>

/**
 * Encodes a period for the response.
 *
 * @example
 * encodeCalendarPeriod({ day: '2026-11-01', noteDay: 1793505600n, start: 1793505600n, end: 1793574000n }).hours // 19
 */
export function encodeCalendarPeriod(period: DatedPeriod): CalendarPeriod {
  const { day, start, end } = period
  const hours = Number(end - start) / 3_600
  return { day, start: start.toString(), end: end.toString(), hours, isDstDay: isDstPeriod(period) }
}
