import { type Database, openDatabase } from '@tallystick/database'
import { assertDatabaseExists, loadConfig } from '@tallystick/service'
import type { Invocation } from '../terminal/terminal.ts'

/** Runs a command on the database of a configuration, whatever its schema. It creates and migrates nothing. */
export async function runOnSchema<Result>(
  { terminal, options }: Invocation,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const url = loadConfig(options.config, { env: terminal.env, secrets: 'optional' }).database.reveal()
  assertDatabaseExists(url)
  const database = await openDatabase(url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
