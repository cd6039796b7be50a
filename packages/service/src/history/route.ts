import { etagOf } from '@tallystick/base'
import type { Period } from '@tallystick/core'
import { chooseMediaType, jsonType, matchesEtag } from '@tallystick/http'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import type { HistoryParts } from './create-history-parts.ts'
import { describeHistoryNotes, describeHistoryRate } from './describe-history.ts'
import { formatNotesHistory, formatRateHistory } from './format-history.ts'
import { parseHistoryNotesQuery, parseHistoryRateQuery } from './history-query.ts'

type Query = Readonly<Record<string, unknown>>

const types = [jsonType, 'text/csv'] as const

/** Creates `GET /history/notes` and `GET /history/rate`. */
export function createHistoryRoutes(parts: HistoryParts, chainIds: readonly number[]): readonly Route[] {
  const sendNotes: RouteHandlerMethod = async (request, reply) => {
    const current = parts.findCurrent(request.nowMs)
    const query = parseHistoryNotesQuery(request.query as Query, { chainIds, current })
    const { response, isFinal } = await parts.readNotes(query, current)
    const cacheControl = isFinal ? forEver : untilBoundary(current, request.nowMs)
    const name = fileName('tallystick-notes', request.query as Query)
    return send(request, reply, { response, formatCsv: formatNotesHistory, name, cacheControl })
  }
  const sendRate: RouteHandlerMethod = async (request, reply) => {
    const current = parts.findCurrent(request.nowMs)
    const query = parseHistoryRateQuery(request.query as Query, { chainIds, current })
    const { response, isPartial } = await parts.readRate(query, current)
    // Never for ever: the pool can restate the floating income of any day.
    const cacheControl = isPartial ? 'private, no-cache' : untilBoundary(current, request.nowMs)
    const name = fileName('tallystick-rates', request.query as Query)
    return send(request, reply, { response, formatCsv: formatRateHistory, name, cacheControl })
  }
  const common = { method: 'GET', mediaTypes: types } as const
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
  readonly formatCsv: (response: Response) => string
  /** Name of the file, without its ending. */
  readonly name: string
  readonly cacheControl: string
}

/** Sends a page of a history in the format that the request prefers, JSON or CSV. */
function send<Response extends { readonly nextCursor: string | null }>(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, formatCsv, name, cacheControl }: Page<Response>,
): FastifyReply {
  const type = chooseMediaType(request.headers.accept, types)
  const body = type === jsonType ? JSON.stringify(response) : formatCsv(response)
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
