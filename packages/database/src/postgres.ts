import { TallystickError } from '@tallystick/core'
import pg from 'pg'
import { adaptError } from './adapt-error.ts'
import type { Database, OpenOptions, Transaction } from './database.ts'
import { createListener } from './postgres-listener.ts'
import { createLocks } from './postgres-locks.ts'
import { openPool } from './postgres-pool.ts'
import { createSessions, type Session } from './postgres-sessions.ts'

// A statement takes milliseconds. One that takes this long is stuck.
const statementTimeoutMsDefault = 30_000
const connectSecondsDefault = 5
const connectSecondsMax = 600
const connectionsMaxDefault = 10

const { builtins } = pg.types
const getTypeParser = ((oid: number, format?: 'text' | 'binary') => {
  if (oid === builtins.INT8) return BigInt
  return pg.types.getTypeParser(oid, format as 'text')
}) as typeof pg.types.getTypeParser

/**
 * Opens a connection pool on a PostgreSQL server and checks that it responds. `connect_timeout` of the URL limits the
 * seconds for a new connection, and for a free one of the pool.
 */
export async function openPostgres(
  url: string,
  { connectionsMax = connectionsMaxDefault, statementTimeoutMs = statementTimeoutMsDefault }: OpenOptions = {},
): Promise<Database> {
  const connectTimeoutMs = readConnectSeconds(url) * 1000
  const options = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    types: { getTypeParser },
    application_name: 'tallystick',
  }
  const label = describePostgres(url)
  const pool = await openPool({
    ...options,
    max: connectionsMax,
    statementTimeoutMs,
    query_timeout: statementTimeoutMs + connectTimeoutMs,
  }).catch((error) => adaptError(error, label))
  const listener = createListener(() => new pg.Client(options))
  const locks = createLocks(() => new pg.Client(options))
  // On a separate connection: all connections of the pool may be running statements to cancel.
  const cancel = (processId: number) => cancelStatement(new pg.Client(options), processId)
  const sessions = createSessions(pool, { label, cancel, types: { getTypeParser } })
  const { query } = sessions

  return {
    engine: 'postgres',
    label,
    query,
    transaction: (work) => sessions.use({}, (session) => inTransaction(session, { begin: 'begin', work })),
    snapshot: (work, { signal } = {}) =>
      sessions.use({ signal }, (session) => inTransaction(session, { begin: beginSnapshot, work })),
    read: (text, parameters, { signal, ...options }) =>
      sessions.use({ signal }, ({ query }) => query(text, parameters, options)),
    notify: async (channel, payload = '') => {
      await query('select pg_notify($1, $2)', [channel, payload])
    },
    listen: (channel, onNotify) => listener.listen(channel, onNotify).catch((error) => adaptError(error, label)),
    tryLock: (name) => locks.tryLock(name).catch((error) => adaptError(error, label)),
    close: async () => {
      await locks.close()
      await listener.close()
      await pool.end()
    },
  }
}

const beginSnapshot = 'begin isolation level repeatable read, read only'

async function inTransaction<Result>(
  { query, copy, fail }: Session,
  { begin, work }: { readonly begin: string; readonly work: (transaction: Transaction) => Promise<Result> },
): Promise<Result> {
  try {
    await query(begin)
    const result = await work({ query, copy })
    await query('commit')
    return result
  } catch (error) {
    await query('rollback').catch(fail)
    throw error
  }
}

/** Cancels a statement, best effort: if the request does not arrive, the statement ends at its timeout. */
async function cancelStatement(client: pg.Client, processId: number): Promise<void> {
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_cancel_backend($1)', [processId])
  } catch {
  } finally {
    await client.end().catch(() => undefined)
  }
}

function readConnectSeconds(url: string): number {
  const text = URL.canParse(url) ? new URL(url).searchParams.get('connect_timeout') : null
  if (text === null) return connectSecondsDefault
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= connectSecondsMax) return seconds
  throw new TallystickError({
    code: 'invalid_config',
    message: `connect_timeout of the database URL must be a number of seconds from 1 to ${connectSecondsMax}.`,
    retryable: false,
  })
}

function describePostgres(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `PostgreSQL ${host}${pathname}`
  } catch {
    return 'PostgreSQL'
  }
}
