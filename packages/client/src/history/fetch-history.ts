import {
  decodeBoolean,
  decodeCount,
  decodeDecimal,
  decodeForm,
  decodeList,
  decodeMember,
  decodeNullable,
  decodeString,
  type Place,
  refuse,
} from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { decodeChainId, decodeCoupon, decodeTenor, type TenorCoupon } from '../notes/decode-notes.ts'
import { type NotesFilter, queryOf } from '../notes/fetch-notes.ts'

/** Range of days such as `2026-10-31`, both included. */
export type DayRange = {
  /** First day. */
  readonly from?: string | undefined
  /** Last day; today in New York by default. */
  readonly to?: string | undefined
}

/** Coupons of one chain in one period, past or current. Rates are in basis points per 360-day year. */
export type HistoryPeriod = {
  readonly chainId: number
  /** First second, and the first second after it: Unix seconds. */
  readonly periodStart: bigint
  readonly periodEnd: bigint
  /** Index of the set's entry in the public log; null if it is not logged. */
  readonly logIndex: number | null
  readonly coupons: readonly TenorCoupon[]
}

/** Rates of one chain on one day, in basis points per 360-day year. */
export type HistoryDay = {
  readonly chainId: number
  /** New York day of the fixed rates and UTC day of the floating rate. */
  readonly day: string
  /** Coupons of the day's last period, by tenor in days. */
  readonly fixedRates: readonly { readonly maturity: number; readonly coupon: bigint }[]
  /** Floating income of the day, annualised; null if it is not known. */
  readonly floatingRate: bigint | null
  /** Reason why `floatingRate` is null. */
  readonly floatingReason: string | null
}

type Signalled = { readonly signal?: AbortSignal | undefined }

/** Requests the pages of `GET /history/notes` one after the other, as they are consumed. */
export function fetchHistoryNotes(
  connection: Connection,
  options: NotesFilter & DayRange & Signalled,
): AsyncGenerator<HistoryPeriod, void, undefined> {
  return readPages(connection, { endpoint: '/history/notes', list: 'periods', decodeItem: decodePeriod, options })
}

/** Requests the pages of `GET /history/rate` one after the other, as they are consumed. */
export function fetchHistoryRate(
  connection: Connection,
  options: Pick<NotesFilter, 'chainId'> & DayRange & Signalled,
): AsyncGenerator<HistoryDay, void, undefined> {
  return readPages(connection, { endpoint: '/history/rate', list: 'days', decodeItem: decodeDay, options })
}

type Pages<Item> = {
  readonly endpoint: string
  /** Member of the body that holds the items. */
  readonly list: string
  readonly decodeItem: (place: Place) => Item
  readonly options: NotesFilter & DayRange & Signalled
}

async function* readPages<Item>(
  connection: Connection,
  { endpoint, list, decodeItem, options }: Pages<Item>,
): AsyncGenerator<Item, void, undefined> {
  const { from, to, signal } = options
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const path = `${endpoint}${queryOf(options, { from, to, cursor })}`
    const { json } = await requestJson(connection, { path, signal })
    const body: Place = { value: json, path: `GET ${endpoint}: body` }
    yield* decodeList(decodeMember(body, list), decodeItem)
    const next = decodeMember(body, 'nextCursor')
    cursor = decodeNullable(next, decodeString) ?? undefined
    // A cursor that comes again would be requested forever.
    if (cursor !== undefined && seen.has(cursor)) refuse(next, 'a new cursor')
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined)
}

export function decodePeriod(place: Place): HistoryPeriod {
  return {
    chainId: decodeChainId(decodeMember(place, 'chainid')),
    periodStart: decodeDecimal(decodeMember(place, 'period_start')),
    periodEnd: decodeDecimal(decodeMember(place, 'period_end')),
    logIndex: decodeNullable(decodeMember(place, 'logIndex'), decodeCount),
    coupons: decodeList(decodeMember(place, 'coupons'), decodeCoupon),
  }
}

export function decodeDay(place: Place): HistoryDay {
  return {
    chainId: decodeChainId(decodeMember(place, 'chainid')),
    day: decodeDate(decodeMember(place, 'day')),
    fixedRates: decodeList(decodeMember(place, 'fixedRates'), (item) => ({
      maturity: decodeTenor(decodeMember(item, 'maturity')),
      coupon: decodeDecimal(decodeMember(item, 'coupon')),
    })),
    floatingRate: decodeNullable(decodeMember(place, 'floatingRate'), decodeDecimal),
    floatingReason: decodeNullable(decodeMember(place, 'floatingReason'), decodeString),
  }
}

function decodeDate(place: Place): string {
  return decodeForm(place, /^\d{4}-\d\d-\d\d$/, 'a date')
}

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
  const path = `/calendar${queryOf({}, { from, days: days?.toString() })}`
  const { json } = await requestJson(connection, { path, signal })
  return decodeList(decodeMember({ value: json, path: 'GET /calendar: body' }, 'periods'), decodeCalendarPeriod)
}

function decodeCalendarPeriod(place: Place): CalendarPeriod {
  return {
    day: decodeDate(decodeMember(place, 'day')),
    start: decodeDecimal(decodeMember(place, 'start')),
    end: decodeDecimal(decodeMember(place, 'end')),
    hours: decodeCount(decodeMember(place, 'hours')),
    isDstDay: decodeBoolean(decodeMember(place, 'isDstDay')),
  }
}
