import type { Database } from '@tallystick/database'
import { createMatches, type EventFilter } from './event-filter.ts'
import { type EventPosition, emptyPosition, formatReset, toFramed } from './event-frame.ts'
import { findEvent, readEvents } from './event-store.ts'
import type { EventStream } from './event-stream.ts'
import type { EventFeed } from './start-event-feed.ts'
import type { StreamHub } from './stream-hub.ts'

/** Reads events that are not in memory. */
type PastEvents = ReturnType<typeof createPastEvents>

/** Start of a stream: after an event, or at the newest one because the events in between are unknown. */
export type StreamStart = {
  readonly position: EventPosition
  readonly isReset: boolean
  /** Resets of the feed when the position was valid. */
  readonly resets: number
}

export type ReplayParts = {
  readonly feed: EventFeed
  readonly past: PastEvents
  readonly hub: Pick<StreamHub, 'add'>
  readonly onSent: (count: number) => void
}

const pageSize = 100
// One day less than events are kept, so that all later ones are stored. The newest of a type is kept longer than those.
const resumeSecondsMax = 3n * 86_400n
// If it is not stored, it was deleted, or the insert that took it failed: then what is stored may not be all.
const firstId = 1n

/** Creates readers that use one connection at a time, so that many clients at once do not take all of them. */
export function createPastEvents(database: Database) {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
  return {
    find: (id: bigint) => inTurn(() => findEvent(database, id)),
    read: ({ types, chainId }: EventFilter, afterId: bigint) =>
      inTurn(() => readEvents(database, { afterId, limit: pageSize, types, chainId })),
  }
}

/**
 * Finds where a stream starts. A requested position is valid if its event is stored, and all events after it. The start of the
 * history is valid if all events are stored.
 */
export async function findStart(
  { feed, past, nowSeconds }: { readonly feed: EventFeed; readonly past: PastEvents; readonly nowSeconds: bigint },
  after: EventPosition | undefined,
): Promise<StreamStart> {
  // Another replica may have read and sent later events.
  if (after && after.id > feed.position.id) await feed.refresh()
  const { position, resets } = feed
  if (!after || (after.id === position.id && after.tag === position.tag)) return { position, resets, isReset: false }
  const isAtStart = after.id === emptyPosition.id && after.tag === emptyPosition.tag
  const isInMemory = feed.recentAfter(after.id) !== undefined
  const event = isInMemory ? feed.find(after) : await past.find(isAtStart ? firstId : after.id)
  const isKnown = event && (isAtStart || event.tag === after.tag)
  const isStored = isKnown && nowSeconds - event.createdAt <= resumeSecondsMax
  return isStored ? { position: after, resets, isReset: false } : { position, resets, isReset: true }
}

/**
 * Sends a stream the events after its start that match its filter, and adds it to the hub. The last comparison with the feed
 * and the addition are one turn of the event loop: an event that the feed reads in between would reach neither.
 */
export async function replayEvents(
  { feed, past, hub, onSent }: ReplayParts,
  { stream, resets }: { readonly stream: EventStream; readonly resets: number },
): Promise<void> {
  while (stream.isOpen() && stream.sentId < feed.position.id && resets === feed.resets) {
    const end = feed.position.id
    const recent = feed.recentAfter(stream.sentId)?.filter(createMatches(stream))
    const page = recent ?? (await past.read(stream, stream.sentId)).filter(({ id }) => id <= end).map(toFramed)
    for (const { id, frame } of page) {
      await stream.writeAndWait(frame)
      onSent(1)
      stream.sentId = id
    }
    if (recent || page.length < pageSize) stream.sentId = end
  }
  if (resets !== feed.resets) {
    stream.write(formatReset(feed.position))
    stream.sentId = feed.position.id
  }
  if (stream.isOpen()) hub.add(stream)
}
