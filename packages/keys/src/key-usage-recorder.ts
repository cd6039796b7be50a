import { repeat, runOneAtATime, type Time } from '@tallystick/base'
import type { KeyScope } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'
import type { Logger } from 'pino'
import { dayOf, type KeyRing } from './key-ring.ts'
import type { KeyUses } from './key-snapshot.ts'

/** Stores the requests of each key by the UTC day they were made on, once a minute. */
export type KeyUsageRecorder = ReturnType<typeof startKeyUsageRecorder>

const intervalMs = 60_000

type KeyUsageRecorderOptions = {
  readonly database: Database
  readonly keyRing: Pick<KeyRing, 'listAll' | 'useDays'>
  readonly time: Time
  readonly log: Logger
}

export function startKeyUsageRecorder({ database, keyRing, time, log }: KeyUsageRecorderOptions) {
  // The counts of a key are one object as long as the process knows the key.
  const stored = new WeakMap<KeyUses, KeyUses>()
  const copyUses = () => keyRing.listAll().map(({ id, uses }) => ({ id, uses, copy: { ...uses } }))
  /** Counts at the end of each day since the last store. */
  const ended: DayCounts[] = []
  keyRing.useDays.onEnd((day) => ended.push({ day, counts: copyUses() }))
  const store = runOneAtATime(async () => {
    const today = dayOf(time.now())
    const endedCount = ended.length
    const last = { day: keyRing.useDays.last ?? today, counts: copyUses() }
    const added = listUsage([...ended, last], (uses) => stored.get(uses))
    if (added.length > 0) await addKeyUsage(database, added, today)
    ended.splice(0, endedCount)
    for (const { uses, copy } of last.counts) stored.set(uses, copy)
  })
  const storeInBackground = () => store().catch((error) => log.warn({ err: error }, 'key usage not stored; retrying'))
  const timer = repeat(time, { name: 'key usage', ms: intervalMs }, storeInBackground)
  return {
    /** Stores the requests that are not stored yet. Throws if the database fails: they are then stored later. */
    store,
    stop: () => {
      timer.stop()
      return storeInBackground()
    },
  }
}

type DayCounts = {
  readonly day: number
  readonly counts: readonly { readonly id: string; readonly uses: KeyUses; readonly copy: KeyUses }[]
}

/** Returns the requests of each key, day and scope. A day that ended twice, because the clock was set back, is one row. */
function listUsage(
  days: readonly DayCounts[],
  findStored: (uses: KeyUses) => KeyUses | undefined,
): readonly KeyUsage[] {
  const before = new Map<KeyUses, KeyUses>()
  const rows = new Map<string, KeyUsage>()
  for (const { day, counts } of days) {
    for (const { id: keyId, uses, copy } of counts) {
      const counted = before.get(uses) ?? findStored(uses)
      before.set(uses, copy)
      for (const scope of Object.keys(copy) as KeyScope[]) {
        const requests = copy[scope] - (counted?.[scope] ?? 0)
        if (requests === 0) continue
        const name = `${keyId} ${day} ${scope}`
        rows.set(name, { keyId, day, scope, requests: requests + (rows.get(name)?.requests ?? 0) })
      }
    }
  }
  return [...rows.values()]
}

/** Requests of a key in one scope on one UTC day. */
export type KeyUsage = {
  readonly keyId: string
  /** Days since 1970-01-01 UTC. */
  readonly day: number
  readonly scope: KeyScope
  readonly requests: number
}

export const usageMigrations: readonly Migration[] = [
  {
    name: 'key usage',
    statements: [
      `create table api_key_usage (
         key_id text not null, day int not null, scope text not null, requests bigint not null,
         primary key (key_id, day, scope))`,
      'create index api_key_usage_by_day on api_key_usage (day)',
    ],
  },
]

/** Number of days that are kept, today included. */
export const usageDaysMax = 90

/** Adds requests to those that this and other replicas stored before. Deletes days that are no longer kept. */
export async function addKeyUsage(database: Database, added: readonly KeyUsage[], today: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(
      `insert into api_key_usage (key_id, day, scope, requests)
       select * from unnest($1::text[], $2::int[], $3::text[], $4::bigint[]) order by 1, 2, 3
       on conflict (key_id, day, scope) do update set requests = api_key_usage.requests + excluded.requests`,
      [
        added.map(({ keyId }) => keyId),
        added.map(({ day }) => day),
        added.map(({ scope }) => scope),
        added.map(({ requests }) => String(requests)),
      ],
    )
    await transaction.query('delete from api_key_usage where day <= $1', [today - usageDaysMax])
  })
}

/** Lists the usage from a day on, oldest day first. */
export async function listKeyUsage(database: Queryable, fromDay: number): Promise<KeyUsage[]> {
  return database.query<KeyUsage>(
    `select key_id as "keyId", day, scope, requests::float8 as requests from api_key_usage
     where day >= $1 order by day, key_id, scope`,
    [fromDay],
  )
}
