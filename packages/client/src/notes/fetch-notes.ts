import { InvalidRequestError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { sampleServerTime, type TimeSample } from '../server-time.ts'
import { decodeNotes, type NotesBody } from './decode-notes.ts'

/** Filter of notes. */
export type NotesFilter = {
  /** One chain; all chains by default. */
  readonly chainId?: number | undefined
  /** Tenors in days; all tenors on offer by default. */
  readonly maturity?: number | readonly number[] | undefined
}

/** Where the service says that the notes of a chain are in its public log. `verifyLogged` verifies it. */
export type LogPosition = {
  readonly chainId: number
  readonly origin: string
  /** Index of the entry. */
  readonly index: number
  /** Entries of the log in the checkpoint that includes the entry. */
  readonly size: number
}

/** Notes on offer and the time of the response. */
export type NotesAnswer = NotesBody & {
  /** Service's time of the response, Unix seconds. Pass it to `noteStatus` instead of the local time. */
  readonly serverTime: bigint
  /** Where the notes of each chain are in the public log; undefined if the service has none or does not say it. */
  readonly logged: readonly LogPosition[] | undefined
}

export type FetchedNotes = {
  readonly answer: NotesAnswer
  readonly time: TimeSample
  /** False if the response lacks a chain that may be available again soon. */
  readonly isComplete: boolean
}

type FetchNotesOptions = NotesFilter & {
  readonly signal?: AbortSignal | undefined
  readonly retries?: number | undefined
}

/** Requests `GET /notes`. */
export async function fetchNotes(connection: Connection, options: FetchNotesOptions): Promise<FetchedNotes> {
  const { chainId, signal, retries } = options
  const { json, ...received } = await requestJson(connection, { path: `/notes${queryOf(options)}`, signal, retries })
  const time = sampleServerTime(received)
  const serverTime = BigInt(Math.floor(time.earliest / 1000))
  // A complete response may be cached until the boundary, one that lacks a chain may not be cached.
  const isComplete = !/\bno-(cache|store)\b/.test(received.headers.get('cache-control') ?? '')
  const body = decodeNotes(json, { chainId })
  const chainIds = body.notes.map((note) => note.chainId)
  const logged = parseLogPositions(received.headers.get('x-tallystick-log'), chainIds)
  return { answer: { ...body, serverTime, logged }, time, isComplete }
}

/**
 * Parses `x-tallystick-log`, which has one item per chain in ascending order: `<origin>;index=<index>;size=<size>`. Returns
 * undefined without it, and if it does not fit the chains.
 */
export function parseLogPositions(
  header: string | null,
  chainIds: readonly number[],
): readonly LogPosition[] | undefined {
  const items = header?.split(', ') ?? []
  const chains = [...new Set(chainIds)].toSorted((one, other) => one - other)
  if (items.length === 0 || items.length !== chains.length) return undefined
  const positions = chains.flatMap((chainId, at) => {
    const [, origin = '', index, size] = /^(\S+);index=(\d{1,15});size=(\d{1,15})$/.exec(items[at] as string) ?? []
    return origin ? [{ chainId, origin, index: Number(index), size: Number(size) }] : []
  })
  return positions.length === chains.length ? positions : undefined
}

/** Returns `?chainid=…&maturity=…` and further parameters, or '' if none has a value. */
export function queryOf(
  { chainId, maturity = [] }: NotesFilter,
  others: Readonly<Record<string, string | undefined>> = {},
): string {
  const tenors = [maturity].flat().map((tenor) => formatCount(tenor, 'maturity'))
  const values = {
    chainid: chainId === undefined ? undefined : formatCount(chainId, 'chainId'),
    maturity: tenors.join(',') || undefined,
    ...others,
  }
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  // The comma is not encoded: the service accepts it, and the URL is easier to read.
  const query = new URLSearchParams(given).toString().replaceAll('%2C', ',')
  return query && `?${query}`
}

function formatCount(value: number, name: string): string {
  if (Number.isSafeInteger(value) && value > 0) return value.toString()
  const message = `${name} must be a positive integer, not ${value}.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}
