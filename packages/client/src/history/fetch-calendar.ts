import { decodeBoolean, decodeCount, decodeDecimal, decodeList, decodeMember, type Place } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { addParameters, decodeDate } from './fetch-history.ts'

/** Period of a New York day: 00:00 to 18:00 or 18:00 to 24:00. */
export type CalendarPeriod = {
  /** New York day, such as `2026-11-01`. */
  readonly day: string
  /** First second, and the first second after it: Unix seconds. */
  readonly start: bigint
  readonly end: bigint
  /** 18 or 6; 17 or 19 where the clocks change. */
  readonly hours: number
  /** Whether the clocks change in this period. */
  readonly isDstDay: boolean
}

/** Days of a calendar. */
export type CalendarOptions = {
  /** First New York day, such as `2026-11-01`; today by default. */
  readonly from?: string | undefined
  /** Number of days, at most 366; 14 by default. */
  readonly days?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Requests `GET /calendar`. */
export async function fetchCalendar(
  connection: Connection,
  { from, days, signal }: CalendarOptions,
): Promise<readonly CalendarPeriod[]> {
  const path = addParameters('/calendar', { from, days: days?.toString() })
  const { json } = await requestJson(connection, { path, signal })
  return decodeList(decodeMember({ value: json, path: 'GET /calendar: body' }, 'periods'), decodePeriod)
}

function decodePeriod(place: Place): CalendarPeriod {
  return {
    day: decodeDate(decodeMember(place, 'day')),
    start: decodeDecimal(decodeMember(place, 'start')),
    end: decodeDecimal(decodeMember(place, 'end')),
    hours: decodeCount(decodeMember(place, 'hours')),
    isDstDay: decodeBoolean(decodeMember(place, 'isDstDay')),
  }
}
