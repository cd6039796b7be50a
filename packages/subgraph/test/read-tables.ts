import type { Database } from '@tallystick/database'

export type TableRow = Readonly<Record<string, unknown>>

/** Reads all rows of all tables of a namespace, sorted, to compare two stores. */
export async function readTables(
  database: Database,
  namespace: string,
): Promise<Readonly<Record<string, readonly TableRow[]>>> {
  const names = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = to_regnamespace($1) and relkind = 'r' and relname <> '$meta' order by 1`,
    [namespace],
  )
  const tables: Record<string, readonly TableRow[]> = {}
  for (const { name } of names) {
    const order = name === '$blocks' ? 'number' : '"id", "$from"'
    const rows = await database.query<{ row: TableRow }>(
      `select to_jsonb(t) as row from "${namespace}"."${name}" as t order by ${order}`,
    )
    tables[name] = rows.map(({ row }) => row)
  }
  return tables
}
