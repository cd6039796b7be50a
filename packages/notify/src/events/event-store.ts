import type { EventType } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'

/** Event to append. */
export type NewEvent = {
  readonly type: EventType
  readonly chainId: number
  /** JSON on one line, in the form of the event's type. */
  readonly data: string
  /** Unix seconds of the service's clock. */
  readonly createdAt: bigint
  /** An event whose key is stored already is not appended again. */
  readonly dedupeKey?: string | undefined
}

export type StoredEvent = Omit<NewEvent, 'dedupeKey'> & {
  /** Ascends in the order of the commits. Numbers may be left out. */
  readonly id: bigint
  /** Random. Two databases that count the same ids, such as one and its restored backup, differ in it. */
  readonly tag: string
}

/** Notified after each commit that appended events. */
export const eventsChannel = 'tallystick_events'

/** Events older than this are deleted, except the newest of each type and chain. */
export const eventRetentionSeconds = 4n * 86_400n

export const eventMigrations: readonly Migration[] = [
  {
    name: 'events',
    statements: [
      `create table events (
         id bigint generated always as identity primary key, type text not null, chain_id bigint not null,
         data text not null, created_at bigint not null, dedupe_key text unique,
         tag text not null default substr(gen_random_uuid()::text, 1, 8))`,
      'create index events_by_type_and_chain on events (type, chain_id, id)',
      'create index events_by_age on events (created_at)',
    ],
  },
]

/**
 * Appends events in order and returns the new ones. One transaction at a time appends, so ids are committed in ascending
 * order and a reader of "everything after id n" misses no event. A sequence alone could hand out 5 and 6 and commit 6 first.
 */
export async function appendEvents(database: Database, events: readonly NewEvent[]): Promise<StoredEvent[]> {
  if (events.length === 0) return []
  const appended = await database.transaction(async (transaction) => {
    await transaction.query('lock table events in exclusive mode')
    const stored: StoredEvent[] = []
    for (const event of events) stored.push(...(await insertEvent(transaction, event)))
    return stored
  })
  const last = appended.at(-1)
  if (last) await database.notify(eventsChannel, last.id.toString())
  return appended
}

type ReadEventsOptions = {
  readonly afterId: bigint
  readonly limit: number
  /** All types by default. */
  readonly types?: readonly EventType[] | undefined
  /** All chains by default. */
  readonly chainId?: number | null | undefined
}

/** Returns the events after an id, in order. */
export async function readEvents(
  database: Queryable,
  { afterId, limit, types, chainId }: ReadEventsOptions,
): Promise<StoredEvent[]> {
  return database.query<StoredEvent>(
    `select ${columns} from events where id > $1
       and ($2::text[] is null or type = any($2)) and ($3::bigint is null or chain_id = $3)
     order by id limit $4`,
    [afterId, types ?? null, chainId ?? null, limit],
  )
}

/** Returns the newest events, in order. */
export async function readLastEvents(database: Queryable, limit: number): Promise<StoredEvent[]> {
  const events = await database.query<StoredEvent>(`select ${columns} from events order by id desc limit $1`, [limit])
  return events.reverse()
}

/** Returns an event by its id. */
export async function findEvent(database: Queryable, id: bigint): Promise<StoredEvent | undefined> {
  const [event] = await database.query<StoredEvent>(`select ${columns} from events where id = $1`, [id])
  return event
}

/** Returns the newest event of a type and chain. */
export async function findLastEvent(
  database: Queryable,
  { type, chainId }: { readonly type: EventType; readonly chainId: number },
): Promise<StoredEvent | undefined> {
  const [event] = await database.query<StoredEvent>(
    `select ${columns} from events where type = $1 and chain_id = $2 order by id desc limit 1`,
    [type, chainId],
  )
  return event
}

/**
 * Deletes at most `limit` events older than the retention and returns how many. The newest of each type and chain stays:
 * the next one is compared with it.
 */
export async function deleteOldEvents(
  database: Queryable,
  { nowSeconds, limit }: { readonly nowSeconds: bigint; readonly limit: number },
): Promise<number> {
  const deleted = await database.query(
    `delete from events where id in (
       select id from events e where created_at < $1 and exists (
         select from events newer where newer.type = e.type and newer.chain_id = e.chain_id and newer.id > e.id)
       order by created_at limit $2) returning id`,
    [nowSeconds - eventRetentionSeconds, limit],
  )
  return deleted.length
}

const columns = 'id, type, chain_id::float8 as "chainId", data, created_at as "createdAt", tag'

async function insertEvent(
  transaction: Queryable,
  { type, chainId, data, createdAt, dedupeKey }: NewEvent,
): Promise<StoredEvent[]> {
  return transaction.query<StoredEvent>(
    `insert into events (type, chain_id, data, created_at, dedupe_key) values ($1, $2, $3, $4, $5)
     on conflict (dedupe_key) do nothing returning ${columns}`,
    [type, chainId, data, createdAt, dedupeKey ?? null],
  )
}
