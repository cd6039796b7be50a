import type { Writable } from 'node:stream'
import type { OpenapiParameter, StreamEvent } from '@tallystick/core'
import { allowLongResponse } from '@tallystick/http'
import { hashSecret, type RingKey } from '@tallystick/keys'
import { type EventStreams, scopeOfType } from '@tallystick/notify'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { describeGet } from '../openapi/describe-operation.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters, schemaReference } from '../openapi/schemas.ts'
import { useScope } from '../routing/access.ts'
import type { Route } from '../routing/route.ts'
import { parseEventsRequest } from './events-query.ts'

const mediaType = 'text/event-stream'

/** Headers of a stream. The last one makes nginx pass on each event at once. */
const streamHeaders = {
  'content-type': `${mediaType}; charset=utf-8`,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const

/** `GET /events`: server-sent events. */
export function createEventsRoute(streams: Pick<EventStreams, 'open'>, chainIds: readonly number[]): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const key = request.apiKey as RingKey
    const { chainId, types, after } = parseEventsRequest(request, { chainIds, scopes: key.scopes })
    // A key without any of the scopes has no types by default.
    const scopes = types.length > 0 ? types.map((type) => scopeOfType[type]) : ['notes' as const]
    for (const scope of new Set(scopes)) useScope(key, scope)
    if (request.method === 'HEAD') return reply.headers(streamHeaders).send()
    const keyHash = hashSecret(request.headers['x-api-key'] as string)
    const target = { response: reply.raw, begin: () => sendHeaders(request, reply) }
    await streams.open({ chainId, types, after, key, keyHash }, target)
    return reply
  }
  return { method: 'GET', url: '/events', scope: 'any', mediaTypes: [mediaType], describe: describeEvents, handler }
}

/** Sends the headers, takes the response from Fastify and returns what its body is written to. */
function sendHeaders(request: FastifyRequest, reply: FastifyReply): Writable {
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
  return allowLongResponse(raw)
}

const description = `Returns a stream of server-sent events that stays open. \`notes\` has the whole new set of a chain in the first second of its period. \`rate\` has the figures of a chain when one of them changed. \`status\` says that the pool was paused or opened or rejects the notes, that the protocol is synced or not, which tenors have notes, or that the signer changed.

\`notes\` events need the scope \`notes\`. The others need \`rate\`. A new stream has new events only: open it first, then fetch the current state.

To resume without loss or repetition, send the last id that was received as \`Last-Event-ID\`, to any replica, within 24 hours. If the service cannot resume from it, the stream starts with a \`reset\` event: fetch the current state. A comment every 15 seconds shows that the connection works, and its id moves \`Last-Event-ID\` on.

\`\`\`
id: 1204-9f2c41d0
event: notes
data: {"message":"Treasury notes of 2026-11-14, 18:00 to 24:00 New York.","data":[…]}
\`\`\`

The service ends a stream if its key is revoked or expires, if the client does not read, and when it stops.`

const lastEventId: OpenapiParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Resumes after this event. [opaque id]',
  schema: { type: 'string', 'x-unit': 'opaque id', examples: ['1204-9f2c41d0'] },
}

const describeEvents = describeGet(({ context, chainId }) => ({
  operationId: 'getEvents',
  tag: 'Events',
  scope: 'notes',
  summary: 'Live events',
  description,
  parameters: [...queryParameters('events', context), lastEventId],
  response: 'The stream. The schema is that of one event, with its `data` parsed.',
  content: {
    [mediaType]: {
      schema: schemaReference('StreamEvent'),
      examples: { event: { summary: 'One event, parsed', value: exampleEvent(chainId) } },
    },
  },
  codes: ['invalid_chainid', 'invalid_parameter', 'too_many_streams', 'not_ready'],
  samples: [
    curl(`curl -N --max-time 2 "$TALLYSTICK_URL/events?types=notes,status"`, keyHeader),
    typescript(
      '// Receives the notes of each period over the stream.',
      'const stop = client.watchNotes(',
      '  (state) => {',
      "    if (state.status === 'ready') console.log(state.notes.length, state.validUntil)",
      '    stop() // A real program keeps watching.',
      '  },',
      `  { chainId: ${chainId} },`,
      ')',
    ),
  ],
}))

function exampleEvent(chainId: number): StreamEvent {
  return {
    id: '1204-9f2c41d0',
    event: 'status',
    data: {
      message: 'The pool is paused.',
      chainid: String(chainId),
      changed: ['status'],
      status: 'paused',
      isProtocolSynced: true,
      availableMaturities: [7, 14, 30],
      signer: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
    },
  }
}
