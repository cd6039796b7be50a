import type { Queryable } from '@tallystick/database'

/** Reads the database server's clock, Unix milliseconds. */
export async function readDatabaseTime(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now_ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms',
  )
  return (row as { now_ms: number }).now_ms
}
