import { PGlite, type PGliteOptions, type QueryOptions as QueryOptionsOfPglite, types } from '@electric-sql/pglite'
import type { Queryable, Transaction } from '../database.ts'
import { createPrepared } from './prepared.ts'

/** Embedded database in the thread that calls it. */
export type Engine = {
  /** Runs `work` after the work of earlier calls has ended. All other functions are called in such work. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  query: Queryable['query']
  /** Runs one statement that was prepared by an earlier call, if it can be prepared. */
  queryPrepared: Queryable['query']
  transaction(work: (transaction: Transaction) => Promise<void>): Promise<void>
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

export type EngineOptions = {
  readonly checkpointMs: number
  /** Compiled once per process. */
  readonly wasmModule: object
}

/** Opens the embedded database in a directory. Creates it on first use, which takes a few seconds. */
export async function openEngine(path: string, { checkpointMs, wasmModule }: EngineOptions): Promise<Engine> {
  const parsers = { [types.INT8]: BigInt }
  const pgliteWasmModule = wasmModule as NonNullable<PGliteOptions['pgliteWasmModule']>
  const pglite = await PGlite.create(path, { parsers, startParams, pgliteWasmModule })
  // PGlite has no process that does this, and its write-ahead log would grow to 1 GB. The next query reports a failure.
  const checkpoints = setInterval(() => pglite.query('checkpoint').catch(() => undefined), checkpointMs)
  const query = queryWith(pglite)
  const runPrepared = createPrepared(pglite)
  let last: Promise<unknown> = Promise.resolve()
  return {
    alone: (work) => {
      const turn = last.then(work)
      last = turn.catch(() => undefined)
      return turn
    },
    query,
    queryPrepared: async <Row extends object>(text: string, parameters: readonly unknown[] = []) =>
      runPrepared<Row>(text, parameters) ?? query<Row>(text, parameters),
    transaction: (work) =>
      pglite.transaction((transaction) => work({ query: queryWith(transaction), copy: copyWith(transaction) })),
    listen: async (channel, onNotify) => {
      const stop = await pglite.listen(channel, onNotify)
      return () => stop()
    },
    close: () => {
      clearInterval(checkpoints)
      return pglite.close()
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

function copyWith(pglite: Pick<PGlite, 'query'>): Transaction['copy'] {
  return async (text, rows) => {
    // It has no client that would send the rows, but a file for them.
    await pglite.query(text.replace(/stdin$/, "'/dev/blob'"), [], { blob: new Blob([rows]) })
  }
}
