import { allowLongResponse } from '@tallystick/http'
import { hashSecret, type RingKey } from '@tallystick/keys'
import { type EventStreams, scopeOfType } from '@tallystick/notify'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { useScope } from '../routing/authenticate.ts'
import type { Route } from '../routing/route.ts'
import { describeEvents } from './describe-events.ts'
import { parseEventsRequest } from './events-query.ts'

export type EventsParts = { readonly streams: Pick<EventStreams, 'open'> }

const mediaType = 'text/event-stream'

/** Headers of a stream. The last one makes nginx pass on each event at once. */
const streamHeaders = {
  'content-type': `${mediaType}; charset=utf-8`,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

/** `GET /events`: server-sent events. */
export function createEventsRoute({
  parts,
  chainIds,
}: {
  readonly parts: EventsParts
  readonly chainIds: readonly number[]
}): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const key = request.apiKey as RingKey
    const { query, lastEventId } = readRequest(request)
    const wanted = parseEventsRequest({ query, lastEventId }, { chainIds, scopes: key.scopes })
    // A key without any of the scopes has no types by default.
    const scopes = wanted.types.length > 0 ? wanted.types.map((type) => scopeOfType[type]) : ['notes' as const]
    for (const scope of new Set(scopes)) useScope(key, scope)
    if (request.method === 'HEAD') return reply.headers(streamHeaders).send()
    const keyHash = hashSecret(request.headers['x-api-key'] as string)
    const target = { response: reply.raw, begin: () => sendHeaders(request, reply) }
    await parts.streams.open({ ...wanted, key, keyHash }, target)
    return reply
  }
  return { method: 'GET', url: '/events', scope: 'any', mediaTypes: [mediaType], describe: describeEvents, handler }
}

function readRequest({ query, headers }: FastifyRequest) {
  return { query: query as Record<string, unknown>, lastEventId: headers['last-event-id'] }
}

/** Sends the headers and takes the response from Fastify. */
function sendHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...streamHeaders })) {
    if (value !== undefined) raw.setHeader(name, value)
  }
  if (request.raw.httpVersionMajor === 1) {
    // The end of the connection ends the body. Chunks would add bytes and writes to each event.
    raw.removeHeader('transfer-encoding')
    raw.setHeader('connection', 'close')
  }
  raw.writeHead(200)
  raw.flushHeaders()
  allowLongResponse(raw)
}
