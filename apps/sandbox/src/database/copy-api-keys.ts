import type { Database } from '@tallystick/database'

const keyTables = ['api_keys', 'api_key_secrets', 'api_key_revision'] as const

/** Reads the API keys of a database. Returns a function that inserts them into another, so that issued keys stay valid. */
export async function copyApiKeys(database: Database): Promise<(other: Database) => Promise<void>> {
  const contents: string[] = []
  for (const table of keyTables) {
    const [row] = await database.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${table} t`)
    contents.push(row?.rows ?? '[]')
  }
  return async (other) => {
    await other.query('delete from api_key_revision')
    for (const [index, table] of keyTables.entries()) {
      const rows = contents[index]
      await other.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [rows])
    }
  }
}
