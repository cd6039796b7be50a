import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createApiKey,
  encodeCalendarPeriod,
  encodeNote,
  listPeriods,
  maturityOf,
  noteTypedData,
  type Period,
  periodAt,
  type WireNote,
} from '@tallystick/core'
import { createPublicLog, type PublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { type Hex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type ChainData, executeQuery, headOf, notIndexed } from './fake-subgraph.ts'

export const apiKey = createApiKey({ kind: 'test', randomBytes: (length) => new Uint8Array(length).fill(7) })
export const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
export const noteSigner = privateKeyToAccount(`0x${'01'.repeat(32)}`)
export const tenors = [7, 14, 30] as const
export const coupons: Readonly<Record<number, bigint>> = { 7: 369n, 14: 365n, 30: 362n }
/** 2026-11-14T15:00:00Z: 10:00 in New York. */
export const morning = Date.UTC(2026, 10, 14, 15)

/** Faulty response to a request. */
export type Mishap =
  | 'html'
  | 'truncated'
  | 'reset'
  | 'hang'
  | {
      readonly status: number
      readonly code?: string
      readonly message?: string
      readonly details?: unknown
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }

type SeenRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** By the service's clock. */
  readonly at: number
}

export type FakeApi = {
  readonly baseUrl: string
  readonly requests: SeenRequest[]
  /** The service's clock, Unix milliseconds. */
  now: () => number
  /** Faults of the next requests, in order. */
  readonly mishaps: Mishap[]
  /** Called for every request, after `mishaps`. */
  mishapOf: (request: SeenRequest) => Mishap | undefined
  readonly chains: Map<number, ChainData | { readonly code: string; readonly message: string }>
  /** Changes or adds headers of successful responses; undefined removes one. */
  headers: Readonly<Record<string, string | undefined>>
  /** Number of requests that are left without a response. */
  hanging: number
  /** Requests of `GET /events`, which are not in `requests`. */
  readonly streamRequests: SeenRequest[]
  /** Open streams of `GET /events`. */
  readonly streams: Set<ServerResponse>
  /** Handles `GET /events`. By default the service has none. */
  answerEvents: (response: ServerResponse) => void
  /** The public log. It has the notes of all chains that were requested. */
  readonly log: PublicLog
  stop(): Promise<void>
}

/** Starts a real HTTP server that follows the service's contract and can inject faults. */
export async function startFakeApi(): Promise<FakeApi> {
  const server = await startLocalServer((request, response) => answer(api, { request, response }))
  const api: FakeApi = {
    baseUrl: server.url,
    requests: [],
    now: () => morning,
    mishaps: [],
    mishapOf: () => undefined,
    chains: new Map([[324, { positions: [], floatingIncomes: [], accounts: {} }]]),
    headers: {},
    hanging: 0,
    streamRequests: [],
    streams: new Set(),
    answerEvents: noEvents,
    log: createPublicLog(),
    stop: server.stop,
  }
  return api
}

/** Response of a service without `GET /events`. */
export function noEvents(response: ServerResponse): void {
  sendError(response, { status: 404, code: 'not_found' })
}

/** First bytes of a stream. */
export const greeting = ': connected\nretry: 2000\nid: 1-0\n\n'

/** Starts a stream of events and greets. */
export function startEvents(response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8')
  response.write(greeting)
}

/** Formats the `notes` event of a chain and the period of an instant. */
export async function formatNotesEvent(
  atMs: number,
  { chainId = 324, id = '2-0' }: { readonly chainId?: number; readonly id?: string } = {},
): Promise<string> {
  const period = periodAt(BigInt(Math.floor(atMs / 1000)))
  const data = await Promise.all(tenors.map((tenorDays) => signedNote(period, { chainId, tenorDays })))
  const body = { message: 'Treasury notes.', data, availableMaturities: tenors }
  return `id: ${id}\nevent: notes\ndata: ${JSON.stringify(body)}\n\n`
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

async function answer(api: FakeApi, { request, response }: Exchange): Promise<void> {
  let body = ''
  for await (const chunk of request) body += chunk
  const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body, at: api.now() }
  if (seen.path.startsWith('/events')) {
    api.streamRequests.push(seen)
    api.streams.add(response)
    response.once('close', () => api.streams.delete(response))
    return api.answerEvents(response)
  }
  api.requests.push(seen)
  response.setHeader('date', new Date(api.now()).toUTCString())
  response.setHeader('x-request-id', 'fake-1')
  const mishap = api.mishaps.shift() ?? api.mishapOf(seen)
  if (mishap === 'hang') return leaveHanging(api, response)
  if (mishap) return misbehave(response, mishap)
  if (seen.method === 'GET' && seen.path.startsWith('/log/')) return sendLogResource(api, { response, seen })
  if (seen.method === 'GET' && seen.path === '/chains') return sendJson(api, { response, value: chainsBody(api) })
  if (seen.method === 'GET' && seen.path.startsWith('/calendar'))
    return sendCalendar(api, { response, path: seen.path })
  if (request.headers['x-api-key'] !== apiKey) return sendError(response, { status: 403, code: 'invalid_api_key' })
  const url = new URL(seen.path, api.baseUrl)
  if (seen.method === 'GET' && url.pathname === '/notes') return sendNotes(api, { response, url })
  if (seen.method === 'GET' && url.pathname === '/rate') return sendJson(api, { response, value: rateBody })
  if (seen.method === 'GET' && url.pathname.startsWith('/history/')) return sendHistory(api, { response, url })
  if (seen.method === 'POST' && url.pathname === '/data') return sendData(api, { response, body })
  return sendError(response, { status: 404, code: 'not_found' })
}

function leaveHanging(api: FakeApi, response: ServerResponse): void {
  api.hanging++
  response.on('close', () => api.hanging--)
}

function misbehave(response: ServerResponse, mishap: Exclude<Mishap, 'hang'>): void {
  if (mishap === 'reset') return void response.socket?.destroy()
  if (mishap === 'html') return void response.setHeader('content-type', 'text/html').end('<html>maintenance</html>')
  if (mishap === 'truncated') {
    response.setHeader('content-length', 1000)
    response.write('{"message":"Treasury no')
    return void response.socket?.end()
  }
  for (const [name, value] of Object.entries(mishap.headers ?? {})) response.setHeader(name, value)
  sendError(response, mishap)
}

function sendError(response: ServerResponse, mishap: Exclude<Mishap, string>): void {
  const { status, code, message = `Refused with ${code}.`, details } = mishap
  response.statusCode = status
  response.end(mishap.body ?? JSON.stringify({ message, code, requestId: 'fake-1', details }))
}

function sendJson(api: FakeApi, { response, value }: { readonly response: ServerResponse; readonly value: unknown }) {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  for (const [name, header] of Object.entries(api.headers)) {
    if (header === undefined) response.removeHeader(name)
    else response.setHeader(name, header)
  }
  // Otherwise Node adds the machine's own date.
  response.sendDate = false
  response.end(JSON.stringify(value))
}

async function sendNotes(api: FakeApi, { response, url }: { readonly response: ServerResponse; readonly url: URL }) {
  const chainid = url.searchParams.get('chainid')
  if (chainid !== null && !api.chains.has(Number(chainid))) {
    return sendError(response, { status: 400, code: 'invalid_chainid', details: { supported: [...api.chains.keys()] } })
  }
  const period = periodAt(BigInt(Math.floor(api.now() / 1000)))
  const wanted = url.searchParams.get('maturity')?.split(',').map(Number) ?? tenors
  const chainIds = chainid === null ? [...api.chains.keys()] : [Number(chainid)]
  const asked = chainIds.flatMap((chainId) => wanted.map((tenorDays) => signedNote(period, { chainId, tenorDays })))
  const positions = await Promise.all(chainIds.map((chainId) => logNotes(api, { period, chainId })))
  response.setHeader('x-tallystick-log', positions.join(', '))
  response.setHeader('cache-control', `private, max-age=${Math.floor(Number(period.end) - api.now() / 1000)}`)
  const value = { message: 'Treasury notes.', data: await Promise.all(asked), availableMaturities: tenors }
  sendJson(api, { response, value })
}

/** Logs the notes of a chain and period once. Returns their item of `x-tallystick-log`. */
async function logNotes(
  { log }: FakeApi,
  { period, chainId }: { readonly period: Period; readonly chainId: number },
): Promise<string> {
  const notes = await Promise.all(tenors.map((tenorDays) => signedNote(period, { chainId, tenorDays })))
  const find = () => log.entries.findIndex((entry) => Buffer.from(entry).includes(notes[0]?.signature.r ?? ''))
  if (find() < 0) {
    log.append(formatNotesEntry(notes, period))
    log.publish()
  }
  return `${log.origin};index=${find()};size=${log.size}`
}

/** Returns the entry of notes. */
export function formatNotesEntry(
  notes: readonly WireNote[],
  { start, end, noteDay }: Pick<Period, 'start' | 'end' | 'noteDay'>,
): string {
  const chainid = notes[0]?.chainid ?? '324'
  const chainId = Number(chainid)
  const domain = { name: 'NoteSignatureVerifier', version: '1', chainId, verifyingContract: pool }
  const period = { start: String(start), end: String(end), noteDay: String(noteDay) }
  const salt = randomBytes(16).toString('hex')
  const rest = { signer: noteSigner.address, curve: 0, issuedAt: String(start - 600n), notes }
  return JSON.stringify({ v: 1, type: 'notes', salt, chainid, pool, domain, period, ...rest })
}

function sendLogResource(
  { log }: FakeApi,
  { response, seen }: { readonly response: ServerResponse; readonly seen: SeenRequest },
) {
  const resource = log.read(seen.path.slice('/log/'.length))
  if (resource.status !== 200) return sendError(response, resource)
  response.setHeader('content-type', resource.type).end(resource.body)
}

const signed = new Map<string, Promise<WireNote>>()

/** Returns a note signed as by the service, cached per period. */
export function signedNote(
  period: Period,
  { chainId, tenorDays }: { readonly chainId: number; readonly tenorDays: number },
): Promise<WireNote> {
  const key = `${period.start} ${chainId} ${tenorDays}`
  const known = signed.get(key) ?? signNote(period, { chainId, tenorDays })
  signed.set(key, known)
  return known
}

async function signNote(period: Period, note: { readonly chainId: number; readonly tenorDays: number }) {
  const terms = {
    chainId: note.chainId,
    maturityTimestamp: maturityOf({ noteDay: period.noteDay, tenorDays: note.tenorDays }),
    coupon: coupons[note.tenorDays] ?? 300n,
    validAfter: period.start - 1n,
    validBefore: period.end,
  }
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: pool } as const
  const { r, s, yParity } = parseSignature(await noteSigner.signTypedData(noteTypedData(terms, domain)))
  const v = yParity === 0 ? 27 : 28
  return encodeNote({ ...terms, startedAt: period.noteDay, signature: { r: r as Hex, s: s as Hex, v } })
}

function sendCalendar(api: FakeApi, { response, path }: { readonly response: ServerResponse; readonly path: string }) {
  const { searchParams } = new URL(path, api.baseUrl)
  const from = searchParams.get('from') ?? '2026-11-14'
  const periods = listPeriods({ from, days: Number(searchParams.get('days') ?? 14) })
  sendJson(api, { response, value: { message: 'Periods.', periods: periods.map(encodeCalendarPeriod) } })
}

/** Sends a history of five periods or days, two per page. The cursor is the number of the next one. */
function sendHistory(api: FakeApi, { response, url }: { readonly response: ServerResponse; readonly url: URL }) {
  const first = Number(url.searchParams.get('cursor') ?? 0)
  const numbers = [0, 1, 2, 3, 4].slice(first, first + 2)
  const nextCursor = first + 2 < 5 ? String(first + 2) : null
  const coupons = [{ maturity: 7, maturity_timestamp: '1795237200', coupon: '369' }]
  const periods = numbers.map((number) => ({
    ...{ chainid: '324', period_start: `${1794697200 - number}`, period_end: '1794718800' },
    ...{ logIndex: number === 0 ? null : 10 - number, coupons },
  }))
  const days = numbers.map((number) => ({
    ...{ chainid: '324', day: `2026-11-${14 - number}`, fixedRates: [{ maturity: 7, coupon: '369' }] },
    ...(number === 0
      ? { floatingRate: null, floatingReason: 'Not set.' }
      : { floatingRate: '1264', floatingReason: null }),
  }))
  const page = url.pathname === '/history/notes' ? { periods } : { days }
  sendJson(api, { response, value: { message: 'A page.', ...page, nextCursor } })
}

async function sendData(
  api: FakeApi,
  { response, body }: { readonly response: ServerResponse; readonly body: string },
) {
  const { query, variables, operationName } = JSON.parse(body)
  const { chains, ...rest } = variables as { chains: readonly number[] }
  const results = await Promise.all(
    chains.map(async (chain) => {
      const data = api.chains.get(chain)
      if (!data) return { chain, data: null, errors: [{ message: 'Unsupported.', code: 'invalid_chains' }] }
      if ('code' in data) return { chain, data: null, errors: [data] }
      const result = await executeQuery(data, { query, variables: rest, operationName })
      if (!result.errors) return { chain, data: result.data }
      const codeOf = (message: string) => (message.startsWith(notIndexed) ? 'upstream_failed' : 'query_rejected')
      const errors = result.errors.map(({ message }) => ({ message, code: codeOf(message) }))
      return { chain, data: null, errors }
    }),
  )
  const failed = results.flatMap(({ errors }) => errors?.[0]?.code ?? [])
  const heads = chains.map((chain) => `${chain};block=${headOf((api.chains.get(chain) ?? {}) as ChainData)};lag=4`)
  response.setHeader('x-tallystick-chains', heads.join(', '))
  if (failed.length < results.length) return sendJson(api, { response, value: results })
  const isRejected = failed.every((code) => code === 'query_rejected')
  const isLate = failed.every((code) => code === 'upstream_timeout')
  if (isRejected) return sendError(response, { status: 400, code: 'query_rejected', details: { chains: results } })
  return sendError(
    response,
    isLate ? { status: 504, code: 'upstream_timeout' } : { status: 502, code: 'upstream_failed' },
  )
}

/** Returns the body of `GET /chains`. A chain without a subgraph, as configured by `code: 'no_data'`, has no data. */
export function chainsBody({ chains }: Pick<FakeApi, 'chains'>) {
  return { message: 'Chains.', chains: [...chains].map(([chainId, data]) => chainBody(chainId, !isWithoutData(data))) }
}

const isWithoutData = (data: object) => 'code' in data && data.code === 'no_data'
const tokenBody = (chainId: number, [name, byte]: readonly [string, string]) => {
  const address = `0x${byte.repeat(20)}`
  return { address, name, symbol: name, domain: { name, version: '1', chainId, verifyingContract: address } }
}

function chainBody(chainId: number, hasData: boolean) {
  return {
    chainid: chainId.toString(),
    name: `chain ${chainId}`,
    pool,
    domain: { name: 'NoteSignatureVerifier', version: '1', chainId, verifyingContract: pool },
    signer: noteSigner.address,
    registeredSigner: noteSigner.address,
    positionToken: tokenBody(chainId, ['Position', '0f']),
    dollar: { ...tokenBody(chainId, ['Dollar', '0e']), decimals: 18 },
    denylister: `0x${'0d'.repeat(20)}`,
    tenors,
    limits: { minLend: '1000000000000000000000', maxCoupon: '1000', minMaturitySeconds: '172800' },
    explorerUrl: 'https://explorer.example',
    subgraphUrl: hasData ? `/subgraphs/${chainId}` : null,
    hasData,
  }
}

export const rateBody = {
  message: 'Current rates.',
  chainid: '324',
  fixedRate: '369',
  floatingRate: '1264',
  marketRate: '1633',
  isProtocolSynced: true,
  chains: [
    {
      chainid: '324',
      status: 'open',
      statusReason: 'The pool is not paused.',
      fixedRates: [{ maturity: 7, maturity_timestamp: '1795237200', coupon: '369' }],
      floatingRate: '1264',
      floatingDay: 20771,
      marketRates: [{ maturity: 7, rate: '1633' }],
      isProtocolSynced: true,
      syncReason: 'The floating income of yesterday is known.',
      nextSyncExpectedAt: '1794700800',
      dataBlock: '123',
      dataLagSeconds: 4,
    },
  ],
}
