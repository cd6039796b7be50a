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

/** Requests of a key in one scope in one UTC hour. */
export type HourUsage = {
  readonly keyId: string
  /** Hours since 1970-01-01 00:00 UTC. */
  readonly hour: number
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

/** Requests by hour. Replicas of 0.1.0 write those by day only. */
export const hourUsageMigrations: readonly Migration[] = [
  {
    name: 'key usage by hour',
    statements: [
      `create table api_key_hours (
         key_id text not null, hour int not null, scope text not null, requests bigint not null,
         primary key (key_id, hour, scope))`,
      'create index api_key_hours_by_hour on api_key_hours (hour)',
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: ['drop table api_key_hours'],
    loses: 'the requests of keys by hour of the last 48 hours',
  },
]

/** Number of hours that are kept, this one included. */
export const usageHoursMax = 48

/** Adds requests to those that this and other replicas stored before. Deletes hours and days that are no longer kept. */
export async function addKeyUsage(database: Database, added: readonly HourUsage[], thisHour: number): Promise<void> {
  const columns = [
    added.map(({ keyId }) => keyId),
    added.map(({ hour }) => hour),
    added.map(({ scope }) => scope),
    added.map(({ requests }) => String(requests)),
  ]
  await database.transaction(async (transaction) => {
    await transaction.query(
      `insert into api_key_usage (key_id, day, scope, requests)
       select key_id, hour / 24, scope, sum(requests)::bigint
       from unnest($1::text[], $2::int[], $3::text[], $4::bigint[]) as added (key_id, hour, scope, requests)
       group by 1, 2, 3 order by 1, 2, 3
       on conflict (key_id, day, scope) do update set requests = api_key_usage.requests + excluded.requests`,
      columns,
    )
    await transaction.query(
      `insert into api_key_hours (key_id, hour, scope, requests)
       select * from unnest($1::text[], $2::int[], $3::text[], $4::bigint[]) order by 1, 2, 3
       on conflict (key_id, hour, scope) do update set requests = api_key_hours.requests + excluded.requests`,
      columns,
    )
    await transaction.query('delete from api_key_usage where day <= $1', [Math.floor(thisHour / 24) - usageDaysMax])
    await transaction.query('delete from api_key_hours where hour <= $1', [thisHour - usageHoursMax])
  })
}

/** Lists the usage of a key from an hour on. */
export async function listHourUsage(
  database: Queryable,
  { keyId, fromHour }: { readonly keyId: string; readonly fromHour: number },
): Promise<HourUsage[]> {
  return database.query<HourUsage>(
    `select key_id as "keyId", hour, scope, requests::float8 as requests from api_key_hours
     where key_id = $1 and hour >= $2 order by hour, scope`,
    [keyId, fromHour],
  )
}

/** Lists the usage from a day on, oldest day first. */
export async function listKeyUsage(database: Queryable, fromDay: number): Promise<KeyUsage[]> {
  return database.query<KeyUsage>(
    `select key_id as "keyId", day, scope, requests::float8 as requests from api_key_usage
     where day >= $1 order by day, key_id, scope`,
    [fromDay],
  )
}
