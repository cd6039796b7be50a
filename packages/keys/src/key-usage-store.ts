import type { KeyScope } from '@tallystick/core'
import type { Database, Migration, Queryable } from '@tallystick/database'

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
