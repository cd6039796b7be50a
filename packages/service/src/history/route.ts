import type { Period } from '@tallystick/core'
import type { RouteHandlerMethod } from 'fastify'
import type { Route } from '../routing/route.ts'
import { describeHistoryNotes, describeHistoryRate } from './describe-history.ts'
import { formatNotesHistory, formatRateHistory } from './format-history.ts'
import { parseHistoryNotesQuery, parseHistoryRateQuery } from './history-query.ts'
import type { HistoryParts } from './create-history-parts.ts'
import { historyTypes, sendHistory } from './send-history.ts'

type Query = Readonly<Record<string, unknown>>

/** Creates `GET /history/notes` and `GET /history/rate`. */
export function createHistoryRoutes(parts: HistoryParts, chainIds: readonly number[]): readonly Route[] {
  const sendNotes: RouteHandlerMethod = async (request, reply) => {
    const current = parts.findCurrent(request.nowMs)
    const query = parseHistoryNotesQuery(request.query as Query, { chainIds, current })
    const { response, isFinal } = await parts.readNotes(query, current)
    const cacheControl = isFinal ? forEver : untilBoundary(current, request.nowMs)
    const name = fileName('tallystick-notes', request.query as Query)
    return sendHistory(request, reply, { response, formatCsv: formatNotesHistory, name, cacheControl })
  }
  const sendRate: RouteHandlerMethod = async (request, reply) => {
    const current = parts.findCurrent(request.nowMs)
    const query = parseHistoryRateQuery(request.query as Query, { chainIds, current })
    const { response, isPartial } = await parts.readRate(query, current)
    // Never for ever: the pool can restate the floating income of any day.
    const cacheControl = isPartial ? 'private, no-cache' : untilBoundary(current, request.nowMs)
    const name = fileName('tallystick-rates', request.query as Query)
    return sendHistory(request, reply, { response, formatCsv: formatRateHistory, name, cacheControl })
  }
  const common = { method: 'GET', mediaTypes: historyTypes } as const
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
