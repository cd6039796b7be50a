import { runOneAtATime, type Time } from '@tallystick/base'
import { type Database, followChanges } from '@tallystick/database'
import type { Logger } from 'pino'
import { type EventPosition, emptyPosition, type FramedEvent, toFramed } from './event-frame.ts'
import { eventsChannel, readEvents, readLastEvents } from './event-store.ts'

/** Newest events of the database in memory, in order. */
export type EventFeed = Awaited<ReturnType<typeof startEventFeed>>

type EventFeedOptions = {
  readonly database: Database
  readonly time: Pick<Time, 'setTimer'>
  readonly log: Logger
  readonly onEvents: (events: readonly FramedEvent[]) => void
  /** Called when the database has another history, such as after a backup was restored. */
  readonly onReset: (position: EventPosition) => void
}

// A notification announces events at once. Polling covers lost notifications.
const pollMs = 1_000
const pageSize = 100
// Two days of a chain. Clients that reconnect sooner cause no query.
const recentMax = 256

/** Reads the newest events and follows the table until `stop`. */
export async function startEventFeed({ database, time, log, onEvents, onReset }: EventFeedOptions) {
  let recent: readonly FramedEvent[] = []
  let resets = 0
  const positionOf = (): EventPosition => recent.at(-1) ?? emptyPosition
  const load = async () => {
    recent = (await readLastEvents(database, recentMax)).map(toFramed)
  }
  const refresh = runOneAtATime(async () => {
    for (;;) {
      const next = await readAfter(database, positionOf())
      if (next === undefined) {
        await load()
        resets++
        onReset(positionOf())
        log.warn({ position: positionOf().id.toString() }, 'event history changed; streams were reset')
        return
      }
      if (next.length === 0) return
      const framed = next.map(toFramed)
      recent = [...recent, ...framed].slice(-recentMax)
      onEvents(framed)
    }
  })
  await load()
  const stop = await followChanges(database, {
    channel: eventsChannel,
    time,
    pollMs,
    refresh,
    onFailure: (error) => log.warn({ err: error }, 'reading events failed; streams wait'),
  })
  return {
    /** Position of the newest event that was read. */
    get position() {
      return positionOf()
    },
    /** Number of times that the history of events turned out to be another one. */
    get resets() {
      return resets
    },
    /** Lists the events after an id, if they are all in memory. */
    recentAfter: (id: bigint) => ((recent[0]?.id ?? 0n) <= id ? recent.filter((event) => event.id > id) : undefined),
    /** Returns the event at a position, if it is in memory. */
    find: ({ id, tag }: EventPosition) => recent.find((event) => event.id === id && event.tag === tag),
    /** Reads new events. */
    refresh,
    stop,
  }
}

/**
 * Reads a page of events after a position. Returns undefined if the event at the position is not in the table any more. The
 * newest event is never deleted, so the table is another one then.
 */
async function readAfter(database: Database, { id, tag }: EventPosition) {
  if (id === 0n) return readEvents(database, { afterId: 0n, limit: pageSize })
  const [known, ...next] = await readEvents(database, { afterId: id - 1n, limit: pageSize })
  return known?.id === id && known.tag === tag ? next : undefined
}
