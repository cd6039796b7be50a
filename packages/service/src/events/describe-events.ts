import type { StreamEvent } from '@tallystick/core'
import { errorResponses } from '../openapi/error-responses.ts'
import { headerReferences } from '../openapi/headers.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters, schemaReference } from '../openapi/schemas.ts'
import type { DocumentContext, Endpoint, Operation } from '../routing/document.ts'

const description = `Returns a stream of server-sent events that stays open. \`notes\` has the whole new set of a chain in the first second of its period. \`rate\` has the figures of a chain when one of them changed. \`status\` says that the pool was paused or opened or rejects the notes, that the protocol is synced or not, which tenors have notes, or that the signer changed.

\`notes\` events need the scope \`notes\`. The others need \`rate\`. A new stream has new events only: open it first, then fetch the current state.

To resume without loss or repetition, send the last id that was received as \`Last-Event-ID\`, to any replica, within 24 hours. If the service cannot resume from it, the stream starts with a \`reset\` event: fetch the current state. A comment every 15 seconds shows that the connection works, and its id moves \`Last-Event-ID\` on.

\`\`\`
id: 1204-9f2c41d0
event: notes
data: {"message":"Treasury notes of 2026-11-14, 18:00 to 24:00 New York.","data":[…]}
\`\`\`

The service ends a stream if its key is revoked or expires, if the client does not read, and when it stops.`

/** `GET /events`. */
export function describeEvents(context: DocumentContext, endpoint: Endpoint): Operation {
  const [chainId = 324] = context.chainIds
  return {
    operationId: 'getEvents',
    tags: ['Events'],
    summary: 'Live events',
    description,
    security: [{ apiKey: [] }],
    parameters: [
      ...queryParameters('events', context),
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'Resumes after this event. [opaque id]',
        schema: { type: 'string', 'x-unit': 'opaque id', examples: ['1204-9f2c41d0'] },
      },
    ],
    responses: {
      200: {
        description: 'The stream. The schema is that of one event, with its `data` parsed.',
        headers: headerReferences('x-request-id', 'RateLimit', 'RateLimit-Policy', 'Cache-Control'),
        content: {
          'text/event-stream': {
            schema: schemaReference('StreamEvent'),
            examples: { event: { summary: 'One event, parsed', value: exampleEvent(chainId) } },
          },
        },
      },
      ...errorResponses(context, {
        endpoint: {
          ...{ ...endpoint, scope: 'notes' },
          ...{ parameters: 'types, chainid and lastEventId', mediaTypes: ['text/event-stream'] },
        },
        codes: ['invalid_chainid', 'invalid_parameter', 'too_many_streams', 'not_ready'],
      }),
    },
    'x-codeSamples': [
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
  }
}

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
