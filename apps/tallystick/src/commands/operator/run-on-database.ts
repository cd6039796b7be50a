import { systemTime } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'
import { readDatabaseTime } from '@tallystick/issuer'
import {
  assertDatabaseExists,
  createOperator,
  loadConfig,
  type Operator,
  openDatabaseToRead,
  openServiceDatabase,
} from '@tallystick/service'
import type { ConfigSource } from '../terminal/terminal.ts'
import { nameUser } from './name-user.ts'

/** Runs an operator's command directly on the database of a configuration. */
export async function runOnDatabase<Result>(
  source: ConfigSource,
  { access, work }: { readonly access: 'read' | 'write'; readonly work: (operator: Operator) => Promise<Result> },
): Promise<Result> {
  const config = loadConfig(source.path, { env: source.env, secrets: 'optional' })
  const url = config.database.reveal()
  const database = await (access === 'read' ? openDatabaseToRead(url) : openServiceDatabase(url, () => undefined))
  try {
    const clock = systemTime
    const latestNow = async () => Math.max(clock.now(), await readDatabaseTime(database))
    const auditor = { actor: `local:${nameUser()}` }
    return await work(createOperator({ database, config, clock, latestNow, auditor }))
  } finally {
    await database.close()
  }
}

/** Runs a command on the database of a configuration, whatever its schema. It creates and migrates nothing. */
export async function runOnSchema<Result>(
  source: ConfigSource,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const url = loadConfig(source.path, { env: source.env, secrets: 'optional' }).database.reveal()
  assertDatabaseExists(url)
  const database = await openDatabase(url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
