import { createRequire } from 'node:module'
import { type MessagePort, Worker } from 'node:worker_threads'
import { createLogThrottle, type Time } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { QueryRequest } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { PublicAnswer } from './public-answer.ts'

// The thread runs the bundle of `query-thread-main.ts`, found by its name, because this module is in other bundles too.
const findEntry = () => createRequire(import.meta.url).resolve('@tallystick/gateway/query-thread')
// The subgraph aborts a query after 10 s. A thread that does not is stuck.
const answerMsMax = 15_000
// Four answers of 100,000 entities, with a margin.
const heapMegabytesMax = 1_024

type Waiting = {
  readonly begin: () => void
  readonly resolve: (answer: PublicAnswer) => void
  readonly reject: (error: Error) => void
}

type QueryThreadOptions = Omit<ThreadSettings, 'database'> & {
  readonly log: Logger
  readonly time: Time
  /** Finds what each new thread is started with. */
  readonly findDatabase: () => Promise<ThreadSettings['database']>
}

/**
 * Runs public queries in a separate thread with separate connections, so that the main thread, which signs and serves
 * notes, never waits for them. The first query starts the thread, also after the thread failed.
 */
export function createQueryThread(options: QueryThreadOptions) {
  const { log, time, findDatabase, connectionsMax, namespaces } = options
  const waiting = new Map<number, Waiting>()
  const report = createReport(log, time)
  let running: Promise<Worker> | undefined
  let lastId = 0

  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    return found
  }
  const onMessage = (message: FromThread) => {
    if ('internalError' in message) {
      const { chainId: chain, internalError: err } = message
      return report(err instanceof Error ? err.message : String(err), { chain, err })
    }
    if ('begun' in message) return waiting.get(message.begun)?.begin()
    if (!('failure' in message)) return settle(message.id)?.resolve(message)
    report(message.failure, { reason: message.failure })
    return settle(message.id)?.reject(unreadable())
  }
  const start = async (): Promise<Worker> => {
    const started = startWorker({ database: await findDatabase(), connectionsMax, namespaces })
    started.on('message', onMessage)
    started.on('error', (err) => report(err.message, { err }))
    started.on('exit', () => {
      running = undefined
      for (const id of [...waiting.keys()]) settle(id)?.reject(unavailable(aborted))
    })
    return started
  }
  const find = () => {
    running ??= start().catch((err: Error) => {
      running = undefined
      report(err.message, { err })
      throw unreadable()
    })
    return running
  }
  return {
    answer: async (chainId: number, { signal, ...request }: QueryRequest, begin: () => void): Promise<PublicAnswer> => {
      signal?.throwIfAborted()
      const asked = await find()
      signal?.throwIfAborted()
      lastId += 1
      const id = lastId
      const send = (message: ToThread) => asked.postMessage(message)
      const answer = new Promise<PublicAnswer>((resolve, reject) => waiting.set(id, { begin, resolve, reject }))
      const timer = setTimeout(() => void asked.terminate(), answerMsMax)
      const abort = () => send({ abort: id })
      signal?.addEventListener('abort', abort, { once: true })
      send({ id, chainId, request })
      return answer.finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      })
    },
    close: async () => {
      const worker = await running?.catch(() => undefined)
      await worker?.terminate()
    },
  }
}

function createReport(log: Logger, time: Time): (reason: string, fields: object) => void {
  const throttle = createLogThrottle({ time })
  return (reason, fields) => {
    const logged = throttle(reason)
    if (logged) log.error({ ...fields, ...logged }, 'embedded subgraph query failed')
  }
}

function startWorker(settings: ThreadSettings): Worker {
  // Without the flags of this process, which may be for running TypeScript.
  const worker = new Worker(findEntry(), {
    workerData: settings,
    transferList: typeof settings.database === 'string' ? [] : [settings.database],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  })
  worker.unref()
  return worker
}

function unreadable(): TallystickError {
  return unavailable('The index of this chain is unavailable. Try again later.')
}

const aborted = 'The query was aborted because a concurrent query took too long. Try again or select less.'

/** Returns the error of a query that may be answered in a second. */
export function unavailable(message: string): TallystickError {
  return new TallystickError({ code: 'not_ready', message, retryable: true, retryAfterSeconds: 1 })
}

/** Settings that the thread is started with. */
export type ThreadSettings = {
  /** URL of a PostgreSQL database, or a port to the embedded one. */
  readonly database: string | MessagePort
  /** On PostgreSQL. */
  readonly connectionsMax: number
  /** Namespace of the index, by chain. */
  readonly namespaces: ReadonlyMap<number, string>
}

/** Message to the thread. */
export type ToThread =
  | { readonly id: number; readonly chainId: number; readonly request: Omit<QueryRequest, 'signal' | 'document'> }
  | { readonly abort: number }

/** Message from the thread. */
export type FromThread =
  | ({ readonly id: number } & PublicAnswer)
  | { readonly id: number; readonly failure: string }
  | { readonly begun: number }
  | { readonly chainId: number; readonly internalError: unknown }
