import { quote } from '@tallystick/base'
import { type EventType, eventTypes, type KeyScope } from '@tallystick/core'
import { assertParameters, invalidParameter } from '@tallystick/http'
import { type EventPosition, type EventsRequest, parseEventId, scopeOfType } from '@tallystick/notify'
import { parseChainId } from '../notes/notes-query.ts'

/** Parses query string and `Last-Event-ID` of `GET /events`. By default, the types are those of the key's scopes. */
export function parseEventsRequest(
  request: { readonly query: unknown; readonly headers: Readonly<Record<string, unknown>> },
  { chainIds, scopes }: { readonly chainIds: readonly number[]; readonly scopes: ReadonlySet<KeyScope> },
): EventsRequest {
  const query = request.query as Readonly<Record<string, unknown>>
  assertParameters(query, ['types', 'chainid', 'lastEventId'])
  return {
    chainId: parseChainId(query['chainid'], chainIds),
    types: parseTypes(query['types']) ?? eventTypes.filter((type) => scopes.has(scopeOfType[type])),
    // A client that resumes a URL with `lastEventId` sends the newer id in the header.
    after:
      parseAfter(request.headers['last-event-id'], 'Last-Event-ID') ?? parseAfter(query['lastEventId'], 'lastEventId'),
  }
}

function parseTypes(value: unknown): EventType[] | undefined {
  if (value === undefined) return undefined
  const names = typeof value === 'string' ? value.split(',') : []
  const isValid = names.length > 0 && names.every((name) => (eventTypes as readonly string[]).includes(name))
  if (!isValid)
    throw invalidParameter(`types ${quote(value)} is not valid. Use ${eventTypes.join(', ')}, comma-separated.`)
  return eventTypes.filter((type) => names.includes(type))
}

function parseAfter(value: unknown, name: string): EventPosition | undefined {
  // A client that has not received an id may send an empty one.
  if (value === undefined || value === '') return undefined
  const position = typeof value === 'string' ? parseEventId(value) : undefined
  if (position) return position
  throw invalidParameter(
    `${name} ${quote(value)} is not an id of an event of this service. Omit it to receive new events only.`,
  )
}
