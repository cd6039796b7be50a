import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Migration, Queryable } from '@tallystick/database'
import type { Logger } from 'pino'
import type { KeyRing } from './key-ring.ts'

/** Which replicas refuse what a change of keys ended. */
export type ReplicaReport = {
  /** Names of those that have taken the change in. */
  readonly confirmed: readonly string[]
  /** Those that have not said so. One that was not seen for long has stopped, or has lost its database and goes on. */
  readonly unconfirmed: readonly { readonly name: string; readonly secondsSinceSeen: number }[]
}

export const replicaMigrations: readonly Migration[] = [
  {
    name: 'replicas',
    statements: [
      `create table replicas (
         id uuid primary key, name text not null, seen_at timestamptz not null, key_revision bigint not null,
         key_change uuid)`,
    ],
  },
]

const beatIntervalMs = 2_000
// Five beats. A replica that was not seen for longer is not waited for, but told.
const liveSeconds = 10
// A replica that ended without saying so is told for a day: nothing tells it from one that lost its database.
const forgetSeconds = 86_400
const lookIntervalMs = 100

/** What tells the others that this process runs, and which change of keys it has taken in. */
export type Announcement = {
  /** Takes in what changed, and says so before it resolves. */
  refreshKeys(): Promise<void>
  stop(): Promise<void>
}

/** Makes this process known to `readReplicas`. On the embedded database there are no others to tell. */
export async function announceReplica(
  database: Database,
  { name, keyRing, log }: { readonly name: string; readonly keyRing: KeyRing; readonly log: Logger },
): Promise<Announcement> {
  if (database.engine === 'pglite') return { refreshKeys: keyRing.refresh, stop: async () => undefined }
  const id = randomUUID()
  let isStopped = false
  let failing = false
  const beat = async () => {
    if (isStopped) return
    const { revision, changeId } = keyRing.position
    await database.query(
      `insert into replicas (id, name, seen_at, key_revision, key_change) values ($1, $2, clock_timestamp(), $3, $4)
       on conflict (id) do update
         set seen_at = excluded.seen_at, key_revision = excluded.key_revision, key_change = excluded.key_change`,
      [id, name, revision, changeId],
    )
  }
  const beatInBackground = () => {
    beat().then(
      () => {
        failing = false
      },
      (error) => {
        if (!failing) log.warn({ err: error }, 'replica heartbeat failed; key revocations cannot be confirmed')
        failing = true
      },
    )
  }
  await database.query(
    `delete from replicas where seen_at < clock_timestamp() - make_interval(secs => $2)
       or (name = $1 and seen_at < clock_timestamp() - make_interval(secs => $3))`,
    [name, forgetSeconds, liveSeconds],
  )
  await beat()
  keyRing.onChange(beatInBackground)
  const timer = setInterval(beatInBackground, beatIntervalMs)
  timer.unref()
  return {
    refreshKeys: async () => {
      await keyRing.refresh()
      await beat()
    },
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await database.query('delete from replicas where id = $1', [id]).catch(() => undefined)
    },
  }
}

/** Waits until every live replica has taken in a revision, or until the time is over, and tells which have. */
export async function awaitReplicas(
  database: Database,
  { revision, waitMs }: { readonly revision: bigint; readonly waitMs: number },
): Promise<ReplicaReport> {
  const endsAt = performance.now() + waitMs
  for (;;) {
    const report = await readReplicas(database, revision)
    const isSettled = report.unconfirmed.every(({ secondsSinceSeen }) => secondsSinceSeen > liveSeconds)
    if (isSettled || performance.now() >= endsAt) return report
    await sleep(lookIntervalMs)
  }
}

async function readReplicas(database: Queryable, revision: bigint): Promise<ReplicaReport> {
  // A replica that follows another history than this database has not taken in anything of it, whatever its revision.
  const rows = await database.query<{ name: string; age: number; confirmed: boolean }>(
    `select name, greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as age,
            key_revision >= $1
              and exists (select from api_key_changes c where c.revision = key_revision and c.id = key_change) as confirmed
     from replicas where seen_at > clock_timestamp() - make_interval(secs => $2) order by name, id`,
    [revision, forgetSeconds],
  )
  return {
    confirmed: rows.filter(({ confirmed }) => confirmed).map(({ name }) => name),
    unconfirmed: rows
      .filter(({ confirmed }) => !confirmed)
      .map(({ name, age }) => ({ name, secondsSinceSeen: Math.round(age) })),
  }
}
