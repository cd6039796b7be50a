import { quote } from '@tallystick/base'
import { historyPeriodsMax, newYorkDate, newYorkInstant, type Period } from '@tallystick/core'
import { assertParameters, invalidParameter, parseCount, parseDay } from '@tallystick/http'
import { parseChainId, parseTenors } from '../notes/notes-query.ts'

/** Place in the history of notes: the last element of the page before. */
export type NotesCursor = { readonly periodStart: bigint; readonly chainId: number }

export type HistoryNotesQuery = {
  readonly chainIds: readonly number[]
  readonly tenors: readonly number[] | undefined
  /** Start of the first day, Unix seconds. */
  readonly fromSeconds: bigint
  /** End of the last day, Unix seconds. */
  readonly beforeSeconds: bigint | undefined
  readonly cursor: NotesCursor | undefined
  readonly limit: number
}

export type HistoryRateQuery = {
  readonly chainIds: readonly number[]
  readonly from: string
  readonly to: string
  /** Newest day of this page. */
  readonly newest: string
}

type Query = Readonly<Record<string, unknown>>
type Context = {
  /** The configured chains. */
  readonly chainIds: readonly number[]
  /** The current period. */
  readonly current: Period
}

const notesParameters = ['chainid', 'maturity', 'from', 'to', 'cursor', 'limit']
const rateParameters = ['chainid', 'from', 'to', 'cursor']
const rateDaysDefault = 30
// Ten years.
const rateDaysMax = 3_660

/** Parses the query string of `GET /history/notes`, as strictly as that of `/notes`. */
export function parseHistoryNotesQuery(query: Query, { chainIds, current }: Context): HistoryNotesQuery {
  assertParameters(query, notesParameters)
  const chainId = parseChainId(query['chainid'], chainIds)
  const tenors = parseTenors(query['maturity'])
  const { from, to } = parseRange(query, newYorkDate(current.noteDay))
  return {
    chainIds: chainId === undefined ? chainIds : [chainId],
    tenors,
    fromSeconds: from === undefined ? 0n : startOf(from),
    beforeSeconds: to === undefined ? undefined : startOf(addDays(to, 1)),
    cursor: parseNotesCursor(query['cursor']),
    limit: parseCount(query, { name: 'limit', max: historyPeriodsMax }) ?? historyPeriodsMax,
  }
}

/** Parses the query string of `GET /history/rate`. */
export function parseHistoryRateQuery(query: Query, { chainIds, current }: Context): HistoryRateQuery {
  assertParameters(query, rateParameters)
  const chainId = parseChainId(query['chainid'], chainIds)
  const today = newYorkDate(current.noteDay)
  const range = parseRange(query, today)
  const to = range.to === undefined || range.to > today ? today : range.to
  const from = range.from ?? addDays(to, 1 - rateDaysDefault)
  if (dayNumber(to) - dayNumber(from) >= rateDaysMax) {
    throw invalidParameter(`from ${quote(from)} is more than ${rateDaysMax} days before to. Choose a shorter range.`)
  }
  const newest = parseRateCursor(query['cursor']) ?? to
  return { chainIds: chainId === undefined ? chainIds : [chainId], from, to, newest: newest < to ? newest : to }
}

function parseRange(
  query: Query,
  today: string,
): { readonly from: string | undefined; readonly to: string | undefined } {
  const [from, to] = [parseDay(query, 'from'), parseDay(query, 'to')]
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidParameter(`from ${quote(from)} is after to ${quote(to)}. Swap them.`)
  }
  if (from !== undefined && from > today) {
    throw invalidParameter(`from ${quote(from)} has not begun. Today in New York is ${today}.`)
  }
  return { from, to }
}

/** Returns 00:00 New York of a date, Unix seconds. */
export function startOf(date: string): bigint {
  return newYorkInstant({ date, time: '00:00' })
}

/** Encodes a cursor. Clients must not rely on its form. */
export function formatNotesCursor({ periodStart, chainId }: NotesCursor): string {
  return encode(`${periodStart}.${chainId}`)
}

export function formatRateCursor(newest: string): string {
  return encode(newest)
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function parseNotesCursor(value: unknown): NotesCursor | undefined {
  if (value === undefined) return undefined
  const [, start, chain] = /^(\d{1,12})\.([1-9]\d{0,15})$/.exec(decode(value)) ?? []
  if (start === undefined || chain === undefined) throw invalidCursor(value)
  return { periodStart: BigInt(start), chainId: Number(chain) }
}

function parseRateCursor(value: unknown): string | undefined {
  if (value === undefined) return undefined
  try {
    return parseDay({ cursor: decode(value) }, 'cursor')
  } catch {
    throw invalidCursor(value)
  }
}

/** Decodes a cursor, or returns an empty text if it is not one of ours. */
function decode(value: unknown): string {
  if (typeof value !== 'string' || value.length > 64) return ''
  const text = Buffer.from(value, 'base64url').toString('latin1')
  return encode(text) === value ? text : ''
}

function invalidCursor(value: unknown) {
  return invalidParameter(`cursor ${quote(value)} is not valid. Use nextCursor of the page before, or omit it.`)
}

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
