import { etagOf } from '@tallystick/base'
import { formatCsv } from '@tallystick/base/pure'
import {
  type HistoryNotesResponse,
  type HistoryRateResponse,
  type Period,
  periodAt,
  tabulateDays,
  tabulatePeriods,
} from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { chooseMediaType, jsonType, matchesEtag } from '@tallystick/http'
import type { ClockMonitor } from '@tallystick/issuer'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters, type SchemaName } from '../openapi/schemas.ts'
import type { IndexToAsk } from '../rate/read-floating-income.ts'
import type { Route } from '../routing/route.ts'
import { createShare } from './create-share.ts'
import { parseHistoryNotesQuery, parseHistoryRateQuery } from './history-query.ts'
import { createReadFloatingRates } from './read-floating-rates.ts'
import { type NotesHistory, readNotesHistory } from './read-notes-history.ts'
import { type RateHistory, readRateHistory } from './read-rate-history.ts'

type Query = Readonly<Record<string, unknown>>

const types = [jsonType, 'text/csv'] as const

type HistoryParts = {
  readonly database: Database
  readonly clocks: Pick<ClockMonitor, 'visibleSeconds'>
  readonly index: IndexToAsk
}

/** Creates `GET /history/notes` and `GET /history/rate`. Identical requests at the same time share one read. */
export function createHistoryRoutes(
  { database, clocks, index }: HistoryParts,
  chainIds: readonly number[],
): readonly Route[] {
  const readFloatingRates = createReadFloatingRates(index)
  const shareNotes = createShare<NotesHistory>()
  const shareRate = createShare<RateHistory>()
  // The newest period that has begun, by every clock if they disagree about it. So a set is visible here when `/notes`
  // serves it, never before.
  const findCurrent = (nowMs: number) => periodAt(clocks.visibleSeconds(nowMs))
  const sendNotes: RouteHandlerMethod = async (request, reply) => {
    const current = findCurrent(request.nowMs)
    const query = parseHistoryNotesQuery(request.query as Query, { chainIds, current })
    const wanted = { query, current }
    const { response, isFinal } = await shareNotes(wanted, () => readNotesHistory(database, wanted))
    const cacheControl = isFinal ? forEver : untilBoundary(current, request.nowMs)
    const name = fileName('tallystick-notes', request.query as Query)
    return send(request, reply, { response, format: formatNotesHistory, name, cacheControl })
  }
  const sendRate: RouteHandlerMethod = async (request, reply) => {
    const current = findCurrent(request.nowMs)
    const query = parseHistoryRateQuery(request.query as Query, { chainIds, current })
    const wanted = { query, current }
    const read = () => readRateHistory({ database, readFloatingRates }, wanted)
    const { response, isPartial } = await shareRate(wanted, read)
    // Never for ever: the pool can restate the floating income of any day.
    const cacheControl = isPartial ? 'private, no-cache' : untilBoundary(current, request.nowMs)
    const name = fileName('tallystick-rates', request.query as Query)
    return send(request, reply, { response, format: formatRateHistory, name, cacheControl })
  }
  const common = { method: 'GET', mediaTypes: types, isOpenToVisitors: true } as const
  return [
    { ...common, url: '/history/notes', scope: 'notes', describe: describeHistoryNotes, handler: sendNotes },
    { ...common, url: '/history/rate', scope: 'rate', describe: describeHistoryRate, handler: sendRate },
  ]
}

const forEver = 'private, max-age=31536000, immutable'
// A set that is issued late and a floating income that is set today are seen soon.
const maxAgeSeconds = 60

function untilBoundary(current: Period, nowMs: number): string {
  const seconds = Math.floor(Number(current.end) - nowMs / 1000)
  return `private, max-age=${Math.max(0, Math.min(maxAgeSeconds, seconds))}`
}

/** Names the file after the range. The dates are valid here, so they contain only digits and dashes. */
function fileName(name: string, { from, to }: Query): string {
  return [name, ...(from ? ['from', from] : []), ...(to ? ['to', to] : [])].join('-')
}

type Page<Response> = {
  readonly response: Response
  readonly format: (response: Response) => string
  /** Name of the file, without its ending. */
  readonly name: string
  readonly cacheControl: string
}

/** Sends a page of a history in the format that the request prefers, JSON or CSV. */
function send<Response extends { readonly nextCursor: string | null }>(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, format, name, cacheControl }: Page<Response>,
): FastifyReply {
  const type = chooseMediaType(request.headers.accept, types)
  const body = type === jsonType ? JSON.stringify(response) : format(response)
  const etag = etagOf(body)
  const vary = [reply.getHeader('vary') ?? [], 'accept'].flat().join(', ')
  reply.headers({ etag, 'cache-control': cacheControl, vary })
  if (response.nextCursor !== null) reply.header('link', formatNext(request, response.nextCursor))
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (type === 'text/csv') reply.header('content-disposition', `attachment; filename="${name}.csv"`)
  return reply.type(`${type}; charset=utf-8`).send(body)
}

/** Returns the link to the next page (RFC 8288), for programs that read no JSON. */
function formatNext(request: FastifyRequest, cursor: string): string {
  const query = new URLSearchParams({ ...(request.query as Record<string, string>), cursor })
  return `<${request.routeOptions.url}?${query}>; rel="next"`
}

function formatNotesHistory({ periods }: HistoryNotesResponse): string {
  const { columns, rows } = tabulatePeriods(periods)
  return formatCsv(columns, rows)
}

function formatRateHistory({ days }: HistoryRateResponse): string {
  const { columns, rows } = tabulateDays(days)
  return formatCsv(columns, rows)
}

const notesDescription = `Returns the coupons of the periods that have begun and had notes, and the index of each set in the public log. Signatures are not part of it: those notes have expired. Nothing of a period is shown before its first second.

Days are New York days, both included. A page has at most 1,000 periods. Request the next one with \`nextCursor\`, or follow the \`Link\` header. New periods do not shift pages. With \`Accept: text/csv\` the same page is a table with one row per coupon: first the members of the JSON, then the name of the period, its times in UTC, the New York day of the maturity and the coupon in percent.

A page whose periods ended more than 8 days ago never changes, and its \`Cache-Control\` says so.`

const rateDescription = `Returns the fixed rates of each tenor and the floating rate by day, newest first.

The fixed rates of a day are the coupons of the last period of that New York day that has begun. The protocol counts floating income by UTC days: a row has that of the UTC day with the same date, which begins at 19:00 or 20:00 New York of the day before. \`floatingRate\` is null, with \`floatingReason\`, if the chain has no index, the index cannot be read, or it has no income of that day.

A range has at most 3,660 days, a page at most 366. With \`Accept: text/csv\` the same page is a table with one row per day and tenor, and both rates also in percent. The pool can restate the floating income of any day, so no page is cached for longer than a minute.`

/** `GET /history/notes`. */
const describeHistoryNotes = describeGet(({ context, chainId }) => {
  const example = exampleNotes(chainId)
  return {
    operationId: 'getHistoryNotes',
    summary: 'Past coupons by period',
    description: notesDescription,
    parameters: queryParameters('historyNotes', context),
    ...pageOf('HistoryNotesResponse', { example, csv: formatNotesHistory(example) }),
    codes: ['invalid_chainid', 'invalid_maturity', 'invalid_parameter', 'not_ready'],
    samples: [
      curl(`curl "$TALLYSTICK_URL/history/notes?chainid=${chainId}&maturity=7&limit=20"`, keyHeader),
      typescript(
        `for await (const { periodStart, coupons } of client.historyNotes({ chainId: ${chainId}, maturity: 7 })) {`,
        '  console.log(periodStart, coupons[0]?.coupon)',
        '}',
      ),
    ],
  }
})

/** `GET /history/rate`. */
const describeHistoryRate = describeGet(({ context, chainId }) => {
  const example = exampleRates(chainId)
  return {
    operationId: 'getHistoryRate',
    summary: 'Past rates by day',
    description: rateDescription,
    parameters: queryParameters('historyRate', context),
    ...pageOf('HistoryRateResponse', { example, csv: formatRateHistory(example) }),
    codes: ['invalid_chainid', 'invalid_parameter', 'not_ready'],
    samples: [
      curl(`curl "$TALLYSTICK_URL/history/rate?chainid=${chainId}"`, keyHeader),
      typescript(
        'for await (const { chainId, fixedRates, floatingRate, day } of client.historyRate()) {',
        '  console.log(chainId, fixedRates.length, floatingRate, day)',
        '}',
      ),
    ],
  }
})

function pageOf(schema: SchemaName, { example, csv }: { readonly example: unknown; readonly csv: string }) {
  const json = jsonContent(schema, { page: { summary: 'The last page', value: example } })
  const table = {
    schema: { type: 'string', description: 'CSV (RFC 4180) with a header row.' },
    examples: { table: { summary: 'The same page as a table', value: csv } },
  }
  return {
    tag: 'History',
    response: 'A page, newest first.',
    content: { ...json, 'text/csv': table },
    notModified: 'The page matches `If-None-Match`. There is no body.',
    headers: ['Link', 'Content-Disposition'],
  } as const
}

function exampleNotes(chainId: number): HistoryNotesResponse {
  const chainid = String(chainId)
  const couponsOf = (coupon: string) => [{ maturity: 7, maturity_timestamp: '1795237200', coupon }]
  return {
    message: '2 periods.',
    periods: [
      { chainid, period_start: '1794697200', period_end: '1794718800', logIndex: 1204, coupons: couponsOf('369') },
      { chainid, period_start: '1794632400', period_end: '1794697200', logIndex: 1202, coupons: couponsOf('368') },
    ],
    nextCursor: null,
  }
}

function exampleRates(chainId: number): HistoryRateResponse {
  const chainid = String(chainId)
  const rateOf = (coupon: string) => [{ maturity: 7, coupon }]
  return {
    message: '2 days.',
    days: [
      {
        chainid,
        day: '2026-11-14',
        fixedRates: rateOf('369'),
        floatingRate: null,
        floatingReason: 'The index has no floating income of this UTC day.',
      },
      { chainid, day: '2026-11-13', fixedRates: rateOf('368'), floatingRate: '1264', floatingReason: null },
    ],
    nextCursor: null,
  }
}
