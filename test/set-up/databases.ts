import type { TestProject } from 'vitest/node'
import { findPgliteTemplate } from '../../packages/workbench/src/pglite-template.ts'
import { type PostgresServer, startPostgres } from '../../packages/workbench/src/postgres.ts'
import type { DatabaseSource } from '../../packages/workbench/src/test-database.ts'
import { findMissingPostgres } from './missing-postgres.ts'
import { oncePerRun } from './once-per-run.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    databases: DatabaseSource
  }
}

// A loaded machine may be many times slower.
const patientConnections = 'connect_timeout=60'

/**
 * Starts one PostgreSQL server and provides it as `databases`. On a machine without PostgreSQL its URL is empty, and the
 * tests that need it are skipped.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // The template is made here, before all tests need it at once.
  const [postgres] = await oncePerRun('databases', () => Promise.all([startAndPrint(), findPgliteTemplate()]))
  const postgresUrl = postgres ? `${postgres.url('postgres')}?${patientConnections}` : ''
  project.provide('databases', { postgresUrl })
  return async () => postgres?.stop()
}

/** Prints to stderr: stdout may be a report. */
async function startAndPrint(): Promise<PostgresServer | undefined> {
  if ((await findMissingPostgres()) !== undefined) return undefined
  const postgres = await startPostgres()
  process.stderr.write(`Databases: ${postgres.description}\n`)
  return postgres
}
