import { eventIdPattern } from '@tallystick/core'
import type { StoredEvent } from './event-store.ts'

/** Event with the bytes that are sent to every stream. */
export type FramedEvent = StoredEvent & { readonly frame: Buffer }

/** Place in the history of events: an event, or the start of an empty history. */
export type EventPosition = Pick<StoredEvent, 'id' | 'tag'>

export const emptyPosition: EventPosition = { id: 0n, tag: '0' }

/** Parses the value of `Last-Event-ID`. Returns undefined if it is not an id of this service. */
export function parseEventId(text: string): EventPosition | undefined {
  const [, id, tag] = eventIdPattern.exec(text) ?? []
  return id === undefined || tag === undefined ? undefined : { id: BigInt(id), tag }
}

function formatEventId({ id, tag }: EventPosition): string {
  return `${id}-${tag}`
}

/** Adds the bytes of an event in the format of server-sent events. Its data is JSON, which has no line breaks. */
export function toFramed(event: StoredEvent): FramedEvent {
  const frame = Buffer.from(`id: ${formatEventId(event)}\nevent: ${event.type}\ndata: ${event.data}\n\n`)
  return { ...event, frame }
}

// Browsers wait this long before they reconnect.
const retryMs = 2_000

/**
 * Returns the first bytes of a stream. An id without data sets the client's last event id and causes no event, so that a
 * client that reconnects before its first event misses none.
 */
export function formatHello(position: EventPosition): string {
  return `: connected\nretry: ${retryMs}\nid: ${formatEventId(position)}\n\n`
}

/** Returns a heartbeat. Its id moves clients on that filter out most events. */
export function formatHeartbeat(position: EventPosition): Buffer {
  return Buffer.from(`: heartbeat\nid: ${formatEventId(position)}\n\n`)
}

/** Returns the event that tells a client that events may be missing. */
export function formatReset(position: EventPosition): string {
  const message =
    'Events may be missing: the last event id is unknown to this service or too old. Fetch the current state, such as GET /notes and GET /rate.'
  return `id: ${formatEventId(position)}\nevent: reset\ndata: ${JSON.stringify({ message })}\n\n`
}
