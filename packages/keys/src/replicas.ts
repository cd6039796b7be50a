import { createBackgroundWork, repeat, sleep, type Time } from '@tallystick/base'
import type { ReplicaReport } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'
import type { Logger } from 'pino'
import type { KeyRing } from './key-ring.ts'

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

// Shows which releases run on a database. Rows of 0.1.0 have none.
export const replicaReleaseMigrations: readonly Migration[] = [
  {
    name: 'replica release',
    since: '0.2.0',
    worksWith: '0.1.0',
    statements: ['alter table replicas add column release text'],
    undo: ['alter table replicas drop column release'],
    loses: 'which release each running replica has',
  },
]

const heartbeatMs = 2_000
// Five heartbeats. A replica not seen for longer is reported but not waited for.
export const liveSeconds = 10
// A replica that crashed is reported for a day: it looks the same as one that lost its database.
const forgetSeconds = 86_400
const pollIntervalMs = 100

/** Heartbeat of this process, with the last change of keys that it has loaded. */
export type Announcement = {
  /** Loads the changes of keys and announces them before it resolves. */
  refreshKeys(): Promise<void>
  stop(): Promise<void>
}

type AnnouncementOptions = {
  readonly id: string
  readonly name: string
  /** Version of this program. */
  readonly release: string
  readonly keyRing: KeyRing
  readonly time: Time
  readonly log: Logger
  /** Called when the database has lost a heartbeat of this process: it was restored. */
  readonly onRestored?: (() => void) | undefined
}

/** Announces this process to the other replicas. The embedded database has no other replicas. */
export async function announceReplica(
  database: Database,
  { id, name, release, keyRing, time, log, onRestored }: AnnouncementOptions,
): Promise<Announcement> {
  if (database.engine === 'pglite') return { refreshKeys: keyRing.refresh, stop: async () => undefined }
  let isStopped = false
  let lastHeartbeatMs: number | undefined
  const sendHeartbeat = async () => {
    if (isStopped) return
    const { revision, changeId } = keyRing.position
    const known = lastHeartbeatMs
    const [row] = await database.query<{ before: number | null; now: number }>(
      `with old as (select seen_at from replicas where id = $1)
       insert into replicas (id, name, seen_at, key_revision, key_change, release)
       values ($1, $2, clock_timestamp(), $3, $4, $5)
       on conflict (id) do update
         set seen_at = excluded.seen_at, key_revision = excluded.key_revision, key_change = excluded.key_change
       returning extract(epoch from seen_at)::float8 * 1000 as now,
                 (select extract(epoch from seen_at)::float8 * 1000 from old) as before`,
      [id, name, revision, changeId, release],
    )
    if (known !== undefined && (row?.before ?? 0) < known) onRestored?.()
    lastHeartbeatMs = row?.now ?? known
  }
  const { run: sendInBackground } = createBackgroundWork(sendHeartbeat, (error) =>
    log.warn({ err: error }, 'replica heartbeat failed; key revocations cannot be confirmed'),
  )
  await database.query(
    `delete from replicas where seen_at < clock_timestamp() - make_interval(secs => $2)
       or (name = $1 and seen_at < clock_timestamp() - make_interval(secs => $3))`,
    [name, forgetSeconds, liveSeconds],
  )
  await sendHeartbeat()
  keyRing.onChange(sendInBackground)
  const timer = repeat(time, { name: 'replica heartbeat', ms: heartbeatMs }, sendInBackground)
  return {
    refreshKeys: async () => {
      await keyRing.refresh()
      await sendHeartbeat()
    },
    stop: async () => {
      isStopped = true
      timer.stop()
      await database.query('delete from replicas where id = $1', [id]).catch(() => undefined)
    },
  }
}

/** Waits until every live replica has loaded a revision, at most `waitMs`, and returns which have. */
export async function awaitReplicas(
  database: Database,
  { revision, waitMs, time }: { readonly revision: bigint; readonly waitMs: number; readonly time: Time },
): Promise<ReplicaReport> {
  const endsAtMs = time.monotonic() + waitMs
  for (;;) {
    const report = await readReplicas(database, revision)
    const isSettled = report.unconfirmed.every(({ secondsSinceSeen }) => secondsSinceSeen > liveSeconds)
    if (isSettled || time.monotonic() >= endsAtMs) return report
    await sleep(time, { name: 'confirmation of replicas', ms: pollIntervalMs })
  }
}

async function readReplicas(database: Queryable, revision: bigint): Promise<ReplicaReport> {
  // A replica with another history than this database has loaded none of its changes, whatever its revision.
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
