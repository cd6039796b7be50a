import type { Database } from '@tallystick/database'
import type { EventFeed } from './event-feed.ts'
import { type EventPosition, formatReset, toFramed } from './event-frame.ts'
import { findEvent, readEvents, type StoredEvent } from './event-store.ts'
import type { EventStream } from './event-stream.ts'
import { createMatches, type EventFilter } from './events-query.ts'

/** Reads events that are not in memory. */
export type PastEvents = {
  find(id: bigint): Promise<StoredEvent | undefined>
  read(filter: EventFilter, afterId: bigint): Promise<StoredEvent[]>
}

/** Start of a stream: after an event, or at the newest one because the events in between are unknown. */
export type StreamStart = { readonly position: EventPosition; readonly isReset: boolean }

const pageSize = 100
// One day less than events are kept, so that all later ones are stored. The newest of a type is kept longer than those.
const resumeSecondsMax = 3n * 86_400n

/** Creates readers that use one connection at a time, so that many clients at once do not take all of them. */
export function createPastEvents(database: Database): PastEvents {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
  return {
    find: (id) => inTurn(() => findEvent(database, id)),
    read: ({ types, chainId }, afterId) =>
      inTurn(() =>
        readEvents(database, {
          afterId,
          limit: pageSize,
          types,
          chainIds: chainId === undefined ? undefined : [chainId],
        }),
      ),
  }
}

/** Finds where a stream starts. A requested position is valid if its event is stored, and all events after it. */
export async function findStart(
  { feed, past, nowSeconds }: { readonly feed: EventFeed; readonly past: PastEvents; readonly nowSeconds: bigint },
  after: EventPosition | undefined,
): Promise<StreamStart> {
  if (!after) return { position: feed.position, isReset: false }
  // Another replica may have read and sent later events.
  if (after.id > feed.position.id) await feed.refresh()
  const { position } = feed
  if (after.id === position.id && after.tag === position.tag) return { position, isReset: false }
  const isInMemory = feed.recentAfter(after.id) !== undefined
  const event = isInMemory ? feed.find(after) : await past.find(after.id)
  const isStored = event?.tag === after.tag && nowSeconds - event.createdAt <= resumeSecondsMax
  return isStored ? { position: after, isReset: false } : { position: feed.position, isReset: true }
}

/** Sends a stream the events after its start that match its filter. Returns once the feed has no later event. */
export async function replayEvents(
  { feed, past, onSent }: { readonly feed: EventFeed; readonly past: PastEvents; readonly onSent: (n: number) => void },
  stream: EventStream,
): Promise<void> {
  const { resets } = feed
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
  if (resets === feed.resets) return
  stream.write(formatReset(feed.position))
  stream.sentId = feed.position.id
}
