import type { MessagePort } from 'node:worker_threads'
import { TallystickError } from '@tallystick/core'
import type { Cancellable, Database, Queryable, Transaction } from '../database.ts'
import type { FromThread, Request, ToThread } from './messages.ts'

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
    work: (transaction: Transaction) => Promise<Result>,
    { isSnapshot, signal }: Cancellable & { readonly isSnapshot: boolean },
  ) => {
    const client = await connect()
    const transaction = await client.begin({ kind: 'begin', isSnapshot }, { signal })
    const end = (isCommit: boolean) => client.call({ kind: 'end', transaction, isCommit })
    const inside: Transaction = {
      query: (text, parameters = []) => client.call({ kind: 'query', text, parameters, transaction }),
      copy: async (text, rows) => {
        await client.call({ kind: 'copy', text, rows, transaction })
      },
    }
    const result = await Promise.resolve(inside)
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

/** Client of the thread of an embedded database. */
export type PortClient = {
  call<Row extends object>(request: Request, options?: CallOptions): Promise<Row[]>
  /** Begins a transaction and returns its id. */
  begin(request: Extract<Request, { kind: 'begin' }>, options?: Cancellable): Promise<number>
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>
  /** Rejects all calls, the waiting ones and later ones. */
  fail(error: Error): void
}

type CallOptions = Cancellable & { readonly transfer?: readonly MessagePort[] | undefined }
type Waiting = { readonly resolve: (rows: object[]) => void; readonly reject: (error: Error) => void }

/** Creates a client of a port. The port keeps the process alive only while a call waits. */
export function createPortClient(port: MessagePort): PortClient {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<number, (payload: string) => void>()
  let failure: Error | undefined
  let lastId = 0

  port.on('message', (message: FromThread) => {
    if ('listener' in message) return listeners.get(message.listener)?.(message.payload)
    const found = waiting.get(message.id)
    waiting.delete(message.id)
    if (waiting.size === 0) port.unref()
    if ('rows' in message) return found?.resolve(message.rows as object[])
    return found?.reject(Object.assign(message.error, message.fields))
  })
  port.unref()

  const post = (message: ToThread, transfer: readonly MessagePort[] = []) => port.postMessage(message, transfer)
  const ask = async (id: number, request: Request, { signal, transfer }: CallOptions) => {
    signal?.throwIfAborted()
    if (failure) throw failure
    post({ id, request, isCancellable: signal !== undefined }, transfer)
    const answer = new Promise<object[]>((resolve, reject) => waiting.set(id, { resolve, reject }))
    port.ref()
    const abort = () => post({ abort: id })
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await answer
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }
  const nextId = () => {
    lastId += 1
    return lastId
  }
  return {
    call: async <Row extends object>(request: Request, options: CallOptions = {}) =>
      (await ask(nextId(), request, options)) as Row[],
    begin: async (request, options = {}) => {
      const id = nextId()
      await ask(id, request, options)
      return id
    },
    listen: async (channel, onNotify) => {
      const listener = nextId()
      listeners.set(listener, onNotify)
      await ask(listener, { kind: 'listen', channel }, {})
      return async () => {
        listeners.delete(listener)
        await ask(nextId(), { kind: 'unlisten', listener }, {})
      }
    },
    fail: (error) => {
      failure ??= error
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      port.close()
    },
  }
}

/** Error of a call that a thread cannot answer. */
export function databaseUnusable(label: string, cause: unknown): TallystickError {
  if (cause instanceof TallystickError) return cause
  const reason = cause instanceof Error ? cause.message : 'its thread ended'
  return new TallystickError({
    code: 'database_unavailable',
    message: `The ${label} cannot be used (${reason}). The next request opens it again.`,
    retryable: true,
    cause,
  })
}
