import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PGlite, types } from '@electric-sql/pglite'
import type { Database, Queryable } from './database.ts'
import { lockDirectory } from './lock-directory.ts'
import { createProcessLocks } from './process-locks.ts'

/** Opens the embedded database in a directory, making it on first use (which takes some seconds). */
export async function openPglite(directory: string): Promise<Database> {
  const path = resolve(directory)
  await mkdir(path, { recursive: true })
  const unlock = await lockDirectory(path)
  const pglite = await PGlite.create(path, { parsers: { [types.INT8]: BigInt } }).catch(async (error) => {
    await unlock()
    throw error
  })

  return {
    engine: 'pglite',
    label: `embedded database ${path}`,
    query: queryWith(pglite),
    transaction: async (work, { signal } = {}) => {
      signal?.throwIfAborted()
      return pglite.transaction((transaction) => {
        signal?.throwIfAborted()
        return work({ query: queryWith(transaction) })
      })
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
      if (!pglite.closed) await pglite.close()
      await unlock()
    },
  }
}

function queryWith(pglite: Pick<PGlite, 'query'>): Queryable['query'] {
  return async <Row extends object>(text: string, parameters: readonly unknown[] = []) => {
    const { rows } = await pglite.query<Row>(text, parameters as unknown[])
    return rows
  }
}
