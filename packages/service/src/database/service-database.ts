import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { type Database, databaseTooNew, migrate, openDatabase } from '@tallystick/database'
import type { Config } from '../config/config.ts'
import { apiMigrations, apiSchema, describeNewer, readSchema } from './migrations.ts'

/** Most connections to PostgreSQL that each part of a replica opens for statements. */
export const connectionsMax = { service: 10, index: 8, publicQueries: 4 } as const

/** Opens the service's database and applies migrations. */
export async function openServiceDatabase(url: string, say: (line: string) => void): Promise<Database> {
  if (url.startsWith('file:')) say(`opening the embedded database in ${url.slice('file:'.length)}`)
  const database = await openDatabase(url, { connectionsMax: connectionsMax.service })
  if (database.engine === 'postgres') say(`connected to ${database.label}`)
  try {
    const { applied, unknown } = await migrate(database, apiSchema)
    if (applied.length > 0 && applied.length < apiMigrations.length) say(`applied the migrations ${applied.join(', ')}`)
    if (unknown.length > 0) say(describeNewer(unknown))
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the service's database for reading. It creates and migrates nothing, and rejects a schema that this version cannot use. */
export async function openDatabaseToRead(url: string): Promise<Database> {
  assertDatabaseExists(url)
  const database = await openDatabase(url)
  try {
    await assertSchemaIsCurrent(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Throws if the embedded database of a URL does not exist: opening it would create it. */
export function assertDatabaseExists(url: string): void {
  const directory = url.startsWith('file:') ? url.replace(/^file:(\/\/)?/, '') : undefined
  if (directory !== undefined && !existsSync(join(directory, 'PG_VERSION'))) {
    throw outdated(`There is no embedded database in ${directory} yet. ${firstUse}`)
  }
}

const firstUse =
  'The first start of the service creates it, and so do `tallystick keys create` and `tallystick curve set`.'

async function assertSchemaIsCurrent(database: Database): Promise<void> {
  const { state, blocking, missing } = await readSchema(database)
  if (blocking !== undefined) throw databaseTooNew(database.label, blocking)
  if (state === 'empty') throw outdated(`The ${database.label} has no tables of this service yet. ${firstUse}`)
  if (state === 'older') {
    throw outdated(
      `The ${database.label} has the schema of an earlier version: the migrations ${missing.join(', ')} are not applied. Read-only commands do not apply them. The next start of the service does. Back up first, or use the version that created the database.`,
    )
  }
}

function outdated(message: string): TallystickError {
  return new TallystickError({ code: 'database_outdated', message, retryable: false })
}

// One for notifications, one for the lock of the event producer.
const serviceSessions = 2
// For the lock of the followers.
const indexSessions = 1

/**
 * Returns how many connections to PostgreSQL a replica holds at most. A cancelled statement and a rebuild of an index open
 * further ones for a short time.
 */
export function countConnections({ chains }: Pick<Config, 'chains'>): number {
  const service = connectionsMax.service + serviceSessions
  if (!chains.some(({ subgraph }) => subgraph?.embedded)) return service
  return service + connectionsMax.index + indexSessions + connectionsMax.publicQueries
}
