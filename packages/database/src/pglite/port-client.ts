import type { MessagePort } from 'node:worker_threads'
import type { Cancellable } from '../database.ts'
import type { FromThread, Request, ToThread } from './messages.ts'

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
