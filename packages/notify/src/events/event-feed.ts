import { settleWithin } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import { runOneAtATime } from '@tallystick/keys'
import type { Logger } from 'pino'
import { type EventPosition, emptyPosition, type FramedEvent, toFramed } from './event-frame.ts'
import { eventsChannel, readEvents, readLastEvents } from './event-store.ts'

/** Newest events of the database in memory, in order. */
export type EventFeed = {
  /** Position of the newest event that was read. */
  readonly position: EventPosition
  /** Number of times that the history of events turned out to be another one. */
  readonly resets: number
  /** Lists the events after an id, if they are all in memory. */
  recentAfter(id: bigint): readonly FramedEvent[] | undefined
  /** Returns the event at a position, if it is in memory. */
  find(position: EventPosition): FramedEvent | undefined
  /** Reads new events. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

export type EventFeedOptions = {
  readonly database: Database
  readonly log: Logger
  readonly onEvents: (events: readonly FramedEvent[]) => void
  /** Called when the database has another history, such as after a backup was restored. */
  readonly onReset: (position: EventPosition) => void
  /** Interval at which the database is read; 1 s by default. */
  readonly pollMs?: number | undefined
}

// A notification announces events at once. Polling covers lost notifications.
const pollMsDefault = 1_000
// A database that does not respond must not delay a stop.
const stopMs = 2_000
const pageSize = 100
// Two days of a chain. Clients that reconnect sooner cause no query.
const recentMax = 256

/** Reads the newest events and follows the table. */
export async function openEventFeed(options: EventFeedOptions): Promise<EventFeed> {
  const { database, log, onEvents, onReset, pollMs = pollMsDefault } = options
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
  const stopFollowing = await follow(options, { refresh, pollMs })
  return {
    get position() {
      return positionOf()
    },
    get resets() {
      return resets
    },
    recentAfter: (id) => ((recent[0]?.id ?? 0n) <= id ? recent.filter((event) => event.id > id) : undefined),
    find: ({ id, tag }) => recent.find((event) => event.id === id && event.tag === tag),
    refresh,
    stop: stopFollowing,
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

async function follow(
  { database, log }: EventFeedOptions,
  { refresh, pollMs }: { readonly refresh: () => Promise<void>; readonly pollMs: number },
): Promise<() => Promise<void>> {
  let isFailing = false
  let isStopped = false
  let running = Promise.resolve()
  const refreshInBackground = () => {
    running = refresh().then(
      () => {
        isFailing = false
      },
      (error) => {
        // After a stop, the database may be closed.
        if (!isFailing && !isStopped) log.warn({ err: error }, 'reading events failed; streams wait')
        isFailing = true
      },
    )
  }
  const stopListening = await database.listen(eventsChannel, refreshInBackground)
  // Only this process can change an embedded database.
  const poll = database.engine === 'postgres' ? setInterval(refreshInBackground, pollMs) : undefined
  poll?.unref()
  return async () => {
    isStopped = true
    clearInterval(poll)
    await stopListening()
    await settleWithin(running, stopMs)
  }
}
