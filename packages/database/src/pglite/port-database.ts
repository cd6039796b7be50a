import type { MessagePort } from 'node:worker_threads'
import type { Cancellable, Database, Queryable } from '../database.ts'
import { createPortClient, type PortClient } from './port-client.ts'
import { databaseUnusable } from './thread.ts'

const label = 'embedded database'

/** Connects this thread to the embedded database that another thread has opened, by a port of its `openPort`. */
export function connectDatabase(port: MessagePort): Database {
  const client = createPortClient(port)
  port.on('close', () => client.fail(databaseUnusable(label, undefined)))
  return {
    ...createPortDatabase(async () => client),
    label,
    listen: client.listen,
    tryLock: () => Promise.reject(new Error('The thread that opened the embedded database has its locks.')),
    close: async () => port.close(),
  }
}

/** Creates the functions of a database that run statements in its thread. Only the statements of `work` are sent there. */
export function createPortDatabase(
  connect: () => Promise<PortClient>,
): Pick<Database, 'engine' | 'query' | 'transaction' | 'snapshot' | 'read' | 'notify'> {
  const query: Queryable['query'] = async (text, parameters = []) =>
    (await connect()).call({ kind: 'query', text, parameters })
  const inTransaction = async <Result>(
    work: (transaction: Queryable) => Promise<Result>,
    { isSnapshot, signal }: Cancellable & { readonly isSnapshot: boolean },
  ) => {
    const client = await connect()
    const transaction = await client.begin({ kind: 'begin', isSnapshot }, { signal })
    const end = (isCommit: boolean) => client.call({ kind: 'end', transaction, isCommit })
    const queryInside: Queryable['query'] = (text, parameters = []) =>
      client.call({ kind: 'query', text, parameters, transaction })
    const result = await Promise.resolve({ query: queryInside })
      .then(work)
      .catch(async (error) => {
        // If the thread has ended, so has the transaction.
        await end(false).catch(() => undefined)
        throw error
      })
    await end(true)
    return result
  }
  return {
    engine: 'pglite',
    query,
    transaction: (work) => inTransaction(work, { isSnapshot: false }),
    snapshot: (work, { signal } = {}) => inTransaction(work, { isSnapshot: true, signal }),
    read: async (text, parameters, { signal, isFrequent }) => {
      signal?.throwIfAborted()
      return (await connect()).call({ kind: 'query', text, parameters, isFrequent }, { signal })
    },
    notify: async (channel, payload = '') => {
      await query('select pg_notify($1, $2)', [channel, payload])
    },
  }
}
