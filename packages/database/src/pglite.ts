import { resolve } from 'node:path'
import { PGlite, type QueryOptions as QueryOptionsOfPglite, types } from '@electric-sql/pglite'
import type { Cancellable, Database, Queryable, QueryOptions } from './database.ts'
import { lockDirectory } from './lock-directory.ts'
import { makePrivate } from './make-private.ts'
import { createPrepared } from './pglite-prepared.ts'
import { createProcessLocks } from './process-locks.ts'

// PostgreSQL's own checkpoint_timeout.
const checkpointMsDefault = 300_000

/** Opens the embedded database in a directory. Creates it on first use, which takes a few seconds. */
export async function openPglite(
  directory: string,
  { checkpointMs = checkpointMsDefault }: { readonly checkpointMs?: number | undefined } = {},
): Promise<Database> {
  const path = resolve(directory)
  await makePrivate(path)
  const unlock = await lockDirectory(path)
  const pglite = await PGlite.create(path, { parsers: { [types.INT8]: BigInt }, startParams }).catch(async (error) => {
    await unlock()
    throw error
  })
  const checkpoints = keepCheckpoints(pglite, checkpointMs)

  const query = queryWith(pglite)
  const runPrepared = createPrepared(pglite)
  return {
    engine: 'pglite',
    label: `embedded database ${path}`,
    query,
    transaction: (work) => pglite.transaction((transaction) => work({ query: queryWith(transaction) })),
    snapshot: (work, { signal } = {}) => {
      const begin = async (transaction: Pick<PGlite, 'query'>) => {
        signal?.throwIfAborted()
        const query = queryWith(transaction)
        await query('set transaction isolation level repeatable read, read only')
        return work({ query })
      }
      return pglite.transaction((transaction) => begin(transaction as Pick<PGlite, 'query'>))
    },
    read: async <Row extends object>(
      text: string,
      parameters: readonly unknown[],
      { signal, isFrequent }: QueryOptions & Cancellable,
    ) => {
      signal?.throwIfAborted()
      const prepared = isFrequent ? runPrepared<Row>(text, parameters) : undefined
      return prepared ?? query<Row>(text, parameters)
    },
    notify: async (channel, payload = '') => {
      await pglite.query('select pg_notify($1, $2)', [channel, payload])
    },
    listen: async (channel, onNotify) => {
      const stop = await pglite.listen(channel, onNotify)
      return () => stop()
    },
    tryLock: createProcessLocks(),
    close: async () => {
      clearInterval(checkpoints)
      if (!pglite.closed) await pglite.close()
      await unlock()
    },
  }
}

const startParams = [
  ...PGlite.defaultStartParams,
  // Deletes write-ahead log segments after a checkpoint instead of reusing them, so that an idle database does not grow.
  ...['-c', 'wal_recycle=off'],
  // Half of the default. PGlite fills all of it with zeros at each start. Queries on 58 MB take the same time.
  ...['-c', 'shared_buffers=64MB'],
]

/** Runs checkpoints at an interval. PGlite has no process that does, and its write-ahead log would grow to 1 GB. */
function keepCheckpoints(pglite: PGlite, everyMs: number): NodeJS.Timeout {
  const checkpoint = () => {
    // The next query reports the failure.
    pglite.query('checkpoint').catch(() => undefined)
  }
  return setInterval(checkpoint, everyMs).unref()
}

// Shorter texts are faster as strings.
const longText = 1_024

/**
 * Passes long texts as bytes. The driver counts the bytes of a string twice in a loop, which is a large part of the time to
 * store thousands of rows. It passes bytes on unchanged, and PostgreSQL's binary format of a text is its bytes. This is set
 * per query because it must not apply to texts in arrays.
 */
const textAsBytes: QueryOptionsOfPglite = {
  serializers: {
    [types.TEXT]: (text: unknown) => {
      if (typeof text !== 'string') throw new TypeError(`A parameter of type text cannot be a ${typeof text}.`)
      return text.length < longText ? text : (Buffer.from(text) as unknown as string)
    },
  },
}

function queryWith(pglite: Pick<PGlite, 'query'>): Queryable['query'] {
  return async <Row extends object>(text: string, parameters: readonly unknown[] = []) => {
    const { rows } = await pglite.query<Row>(text, parameters as unknown[], textAsBytes)
    return rows
  }
}
