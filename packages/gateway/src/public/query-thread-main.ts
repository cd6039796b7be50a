import { parentPort, workerData } from 'node:worker_threads'
import { type Abort, createAbort, keepTickObject } from '@tallystick/base'
import { connectDatabase, openDatabase } from '@tallystick/database'
import { graphqlSchemaOf, openSubgraph, protocolSchema } from '@tallystick/subgraph'
import { type AnswerPublic, createPublicAnswer } from './public-answer.ts'
import type { FromThread, ThreadSettings, ToThread } from './query-thread.ts'

// The thread that answers public queries (query-thread.ts starts it).

const { database: source, connectionsMax, namespaces } = workerData as ThreadSettings
const aborts = new Map<number, Abort>()
let opening: Promise<ReadonlyMap<number, AnswerPublic>> | undefined

function send(message: FromThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

async function open(): Promise<ReadonlyMap<number, AnswerPublic>> {
  const database = typeof source === 'string' ? await openDatabase(source, { connectionsMax }) : connectDatabase(source)
  try {
    const schema = graphqlSchemaOf(protocolSchema)
    const answers = new Map<number, AnswerPublic>()
    for (const [chainId, namespace] of namespaces) {
      const onInternalError = (internalError: unknown) => send({ chainId, internalError })
      const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace, onInternalError })
      answers.set(chainId, createPublicAnswer(subgraph, schema))
    }
    return answers
  } catch (error) {
    await database.close()
    throw error
  }
}

async function answer({ id, chainId, request }: Extract<ToThread, { id: number }>): Promise<void> {
  const abort = createAbort()
  aborts.set(id, abort)
  try {
    // If the database is unavailable, the next query tries again.
    opening ??= open().catch((error) => {
      opening = undefined
      throw error
    })
    const ask = (await opening).get(chainId) as AnswerPublic
    const { body, head } = await ask({ ...request, signal: abort.signal }, () => send({ begun: id }))
    send({ id, body, head }, [body.buffer as ArrayBuffer])
  } catch (error) {
    send({ id, failure: error instanceof Error ? error.message : String(error) })
  } finally {
    aborts.delete(id)
  }
}

keepTickObject()
// The embedded database was closed or its thread ended. The next query starts a thread with a new port, when the failures of
// this one have been sent.
if (typeof source !== 'string') source.on('close', () => setImmediate(() => process.exit()))
parentPort?.on('message', (message: ToThread) => {
  if ('abort' in message) aborts.get(message.abort)?.abort()
  else void answer(message)
})
