import type { Database, Migration, Queryable } from '@tallystick/database'
import type { LeasePeriod } from './lease-window.ts'
import type { LeaseRow } from './settle-lease.ts'

export type LeaseName = { readonly keyId: string; readonly period: LeasePeriod; readonly windowNumber: number }

export type NamedLeaseRow = LeaseName & LeaseRow

export type LeaseReading = {
  /** Clock that windows follow. */
  readonly nowMs: number
  /** Clock that `sinceMs` compares with. */
  readonly clockMs: number
  readonly replicas: readonly { readonly id: string; readonly ageMs: number }[]
  readonly rows: readonly NamedLeaseRow[]
}

export type LeaseStore = {
  /** Reads the wanted rows, and those that were begun or ran short since an instant. */
  read(request: { readonly sinceMs: number; readonly wanted: readonly LeaseName[] }): Promise<LeaseReading>
  /** Writes rows that nobody has changed since they were read. Returns the names of those, as `keyId period number`. */
  write(
    rows: readonly (NamedLeaseRow & { readonly endsAtMs: number; readonly isNoticed: boolean })[],
  ): Promise<ReadonlySet<string>>
}

export const leaseMigrations: readonly Migration[] = [
  {
    name: 'key leases',
    statements: [
      `create table api_key_leases (
         key_id text not null, period text not null, window_number int not null, ends_at timestamptz not null,
         version int not null, gone int not null, entries jsonb not null, noticed_at timestamptz,
         primary key (key_id, period, window_number)) with (fillfactor = 50)`,
      'create index api_key_leases_by_notice on api_key_leases (noticed_at)',
      'create index api_key_leases_by_end on api_key_leases (ends_at)',
    ],
    since: '0.2.0',
    worksWith: '0.1.0',
    undo: ['drop table api_key_leases'],
    loses: 'what keys have used of the limits and quotas of the current minute, day and month',
  },
]

/** Creates the store of leases. `shiftMs` is added to the database's clock by tests. */
export function createLeaseStore(database: Database, shiftMs: () => number = () => 0): LeaseStore {
  return {
    read: async ({ sinceMs, wanted }) => {
      const [row] = await database.query<ReadingRow>(
        `with wanted as (select * from unnest($3::text[], $4::text[], $5::int[]) as w (key_id, period, window_number)),
           found as (
             select * from api_key_leases where noticed_at > to_timestamp($1::float8 / 1000)
               and ends_at > clock_timestamp() + make_interval(secs => $2::float8 / 1000)
             union
             select l.* from api_key_leases l join wanted using (key_id, period, window_number))
         select extract(epoch from clock_timestamp())::float8 * 1000 as clock,
           (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'ageMs',
              greatest(0, extract(epoch from clock_timestamp() - seen_at) * 1000))), '[]') from replicas) as replicas,
           (select coalesce(jsonb_agg(jsonb_build_object('keyId', key_id, 'period', period, 'windowNumber', window_number,
              'version', version, 'gone', gone, 'entries', entries)), '[]') from found) as rows`,
        [
          Math.min(sinceMs, latestMs),
          shiftMs(),
          wanted.map(({ keyId }) => keyId),
          wanted.map(({ period }) => period),
          wanted.map(({ windowNumber }) => windowNumber),
        ],
        { isFrequent: true },
      )
      if (!row) throw new Error('the statement returned no row')
      return { nowMs: row.clock + shiftMs(), clockMs: row.clock, replicas: row.replicas, rows: row.rows }
    },
    write: async (rows) => {
      const written = await database.query<{ key_id: string; period: string; window_number: number }>(
        `insert into api_key_leases as l (key_id, period, window_number, ends_at, version, gone, entries, noticed_at)
         select key_id, period, window_number, to_timestamp(ends / 1000), version, gone, entries::jsonb,
                case when noticed then clock_timestamp() end
         from unnest($1::text[], $2::text[], $3::int[], $4::float8[], $5::int[], $6::int[], $7::text[], $8::boolean[])
           as u (key_id, period, window_number, ends, version, gone, entries, noticed)
         order by key_id, period, window_number
         on conflict (key_id, period, window_number) do update
           set version = excluded.version, gone = excluded.gone, entries = excluded.entries,
               noticed_at = coalesce(excluded.noticed_at, l.noticed_at)
           where l.version = excluded.version - 1
         returning key_id, period, window_number`,
        [
          rows.map(({ keyId }) => keyId),
          rows.map(({ period }) => period),
          rows.map(({ windowNumber }) => windowNumber),
          rows.map(({ endsAtMs }) => endsAtMs),
          rows.map(({ version }) => version),
          rows.map(({ gone }) => gone),
          rows.map(({ entries }) => JSON.stringify(entries)),
          rows.map(({ isNoticed }) => isNoticed),
        ],
        { isFrequent: true },
      )
      return new Set(written.map((row) => `${row.key_id} ${row.period} ${row.window_number}`))
    },
  }
}

/** Lists what was used of each quota in the current day and month, as last settled. */
export async function listQuotaUse(
  database: Queryable,
): Promise<readonly { readonly keyId: string; readonly period: LeasePeriod; readonly used: number }[]> {
  return database.query(
    `select key_id as "keyId", period,
            gone + coalesce((select sum((e.value->>'spent')::bigint) from jsonb_each(entries) e), 0)::float8 as used
     from api_key_leases where period <> 'minute' and ends_at > clock_timestamp()`,
  )
}

/** Deletes the rows of past windows. A minute later, because a replica's estimate of the database's clock may differ. */
export async function deletePastLeases(database: Database, shiftMs = 0): Promise<void> {
  await database.query(
    'delete from api_key_leases where ends_at < clock_timestamp() + make_interval(secs => $1::float8 / 1000 - 60)',
    [shiftMs],
  )
}

// PostgreSQL has no later timestamps.
const latestMs = 9e15 / 1000

type ReadingRow = Pick<LeaseReading, 'replicas' | 'rows'> & { readonly clock: number }
