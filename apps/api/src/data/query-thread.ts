import { Worker } from 'node:worker_threads'
import { TallystickError } from '@tallystick/core'
import { createLogThrottle } from '@tallystick/core/log/log-throttle'
import type { Logger } from 'pino'
import type { AnswerPublic, PublicAnswer } from './public-answer.ts'
import type { FromThread, ThreadSettings, ToThread } from './query-thread-messages.ts'

export type QueryThread = {
  answer(chainId: number, ...asked: Parameters<AnswerPublic>): Promise<PublicAnswer>
  close(): Promise<void>
}

// A thread runs what is built. The address is the same from `src/data` and from `dist/data`.
const entry = new URL('../../dist/data/query-thread-main.js', import.meta.url)
// The subgraph breaks a query off after ten seconds. A thread that does not get to it is stuck.
const answerMsMax = 15_000
// What four answers of 100,000 entities take, and room.
const heapMegabytesMax = 1_024

type Waiting = {
  readonly begin: () => void
  readonly resolve: (answer: PublicAnswer) => void
  readonly reject: (error: Error) => void
}

/**
 * A thread of its own for public queries, with connections of its own: whatever one of them costs, the thread that signs and
 * serves notes does not wait for it. It is started by the first query, and again after it failed.
 */
export function createQueryThread({
  log,
  monotonicNow,
  databaseUrl,
  connectionsMax,
  namespaces,
}: ThreadSettings & { readonly log: Logger; readonly monotonicNow: () => number }): QueryThread {
  const waiting = new Map<number, Waiting>()
  const throttle = createLogThrottle({ monotonicNow })
  let worker: Worker | undefined
  let lastId = 0

  const report = (reason: string, fields: object) => {
    const told = throttle(reason)
    if (told) log.error({ ...fields, ...told }, 'a query of the embedded subgraph failed')
  }
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
  const start = (): Worker => {
    // Without what this process was started with: that may say how to run sources.
    const started = new Worker(entry, {
      workerData: { databaseUrl, connectionsMax, namespaces } satisfies ThreadSettings,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    })
    started.unref()
    started.on('message', onMessage)
    started.on('error', (err) => report(err.message, { err }))
    started.on('exit', () => {
      if (worker !== started) return
      worker = undefined
      for (const id of [...waiting.keys()]) settle(id)?.reject(brokenOff())
    })
    return started
  }
  return {
    answer: async (chainId, { signal, ...request }, begin) => {
      signal?.throwIfAborted()
      worker ??= start()
      const asked = worker
      lastId += 1
      const id = lastId
      const tell = (message: ToThread) => asked.postMessage(message)
      const answer = new Promise<PublicAnswer>((resolve, reject) => waiting.set(id, { begin, resolve, reject }))
      const timer = setTimeout(() => void asked.terminate(), answerMsMax)
      const abort = () => tell({ abort: id })
      signal?.addEventListener('abort', abort, { once: true })
      tell({ id, chainId, request })
      return answer.finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      })
    },
    close: async () => {
      await worker?.terminate()
    },
  }
}

function unreadable(): TallystickError {
  return unavailable('The index of this chain cannot be read now. Try again later.')
}

function brokenOff(): TallystickError {
  return unavailable('The query was broken off together with others that took too long. Ask for less, or try again.')
}

function unavailable(message: string): TallystickError {
  return new TallystickError({ code: 'not_ready', message, retryable: true, retryAfterSeconds: 1 })
}
