import { InvalidRequestError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { sampleServerTime, type TimeSample } from '../server-time.ts'
import { decodeNotes, type NotesBody } from './decode-notes.ts'

/** Which notes to ask for. */
export type NotesFilter = {
  /** One chain; all of them if left out. */
  readonly chainId?: number | undefined
  /** Tenors in days; all on offer if left out. */
  readonly maturity?: number | readonly number[] | undefined
}

/** The notes on offer, and when that was. */
export type NotesAnswer = NotesBody & {
  /** The service's time as it answered, Unix seconds: good for `noteStatus`, whatever the local clock says. */
  readonly serverTime: bigint
}

export type FetchedNotes = {
  readonly answer: NotesAnswer
  readonly time: TimeSample
  /** False where the service says that the answer lacks a chain and may be whole again soon. */
  readonly isComplete: boolean
}

type FetchNotesOptions = NotesFilter & {
  readonly signal?: AbortSignal | undefined
  readonly retries?: number | undefined
}

/** `GET /notes`. */
export async function fetchNotes(connection: Connection, options: FetchNotesOptions): Promise<FetchedNotes> {
  const { chainId, signal, retries } = options
  const { json, ...received } = await requestJson(connection, { path: `/notes${queryOf(options)}`, signal, retries })
  const time = sampleServerTime(received)
  const serverTime = BigInt(Math.floor(time.earliest / 1000))
  // The service lets a whole answer be kept until the boundary, and one that lacks a chain not at all.
  const isComplete = !/\bno-(cache|store)\b/.test(received.headers.get('cache-control') ?? '')
  return { answer: { ...decodeNotes(json, { chainId }), serverTime }, time, isComplete }
}

/** `?chainid=…&maturity=…`, or nothing. */
export function queryOf({ chainId, maturity }: NotesFilter): string {
  const parameters = new URLSearchParams()
  if (chainId !== undefined) parameters.set('chainid', formatCount(chainId, 'chainId'))
  const tenors = maturity === undefined ? [] : typeof maturity === 'number' ? [maturity] : maturity
  const days = tenors.map((tenor) => formatCount(tenor, 'maturity')).join(',')
  const query = parameters.toString()
  // The comma stays as it is: the service reads it plain, and an address is easier to read so.
  return [query && `?${query}`, days && `${query ? '&' : '?'}maturity=${days}`].join('')
}

function formatCount(value: number, name: string): string {
  if (Number.isSafeInteger(value) && value > 0) return value.toString()
  const message = `${name} must be a whole number above zero, not ${value}.`
  throw new InvalidRequestError({ code: 'invalid_request', message })
}
