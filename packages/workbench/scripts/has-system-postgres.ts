import { findPostgres } from '../src/find-postgres.ts'

// Exits with 0 if the operating system has a PostgreSQL that the tests can use.
const { origin } = await findPostgres()
process.exitCode = origin === 'system' ? 0 : 1
