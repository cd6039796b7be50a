import type { MessagePort } from 'node:worker_threads'
import type { Engine } from './engine.ts'
import type { FromThread, Request, ToThread } from './messages.ts'
import { type Asked, createTransactions, createTurns } from './port-transactions.ts'

/** Answers of the thread: rows or nothing. */
type Answers = {
  readonly [Kind in Request['kind']]: (request: Extract<Request, { kind: Kind }>, asked: Asked) => Promise<unknown>
}

/**
 * Serves the requests of one port. If the port closes, for example because its thread ended, its transaction is rolled back
 * and its waiting requests never start.
 */
export function servePort(port: MessagePort, opening: Promise<Engine>): void {
  const turns = createTurns(opening)
  const transactions = createTransactions(turns)
  const stops = new Map<number, () => Promise<void>>()
  const post = (message: FromThread) => port.postMessage(message)
  const answers: Answers = {
    open: async () => void (await opening),
    query: async ({ text, parameters, isFrequent, transaction }, asked) => {
      if (transaction !== undefined) return transactions.find(transaction).query(text, parameters)
      return turns.alone(asked, (engine) => (isFrequent ? engine.queryPrepared : engine.query)(text, parameters))
    },
    copy: ({ text, rows, transaction }) => transactions.find(transaction).copy(text, rows),
    begin: transactions.begin,
    end: transactions.end,
    listen: async ({ channel }, { id }) => {
      const { listen } = await opening
      stops.set(id, await listen(channel, (payload) => post({ listener: id, payload })))
    },
    unlisten: async ({ listener }) => {
      await stops.get(listener)?.()
      stops.delete(listener)
    },
    serve: async (request) => servePort(request.port, opening),
    close: async (_, asked) => turns.alone(asked, (engine) => engine.close()),
  }
  port.on('message', (message: ToThread) => {
    if ('abort' in message) return turns.abort(message.abort)
    const { id, request } = message
    const answer = answers[request.kind] as (request: Request, asked: Asked) => Promise<unknown>
    return answer(request, message).then(
      (rows) => post({ id, rows: (rows ?? []) as object[] }),
      (error: unknown) => {
        post({ id, ...describeError(error) })
        if (isBroken(error)) setImmediate(() => fail(error))
      },
    )
  })
  port.on('close', () => {
    turns.close()
    transactions.close()
    for (const stop of stops.values()) stop().catch(() => undefined)
  })
}

/** Returns whether the engine itself failed, for example without memory. Then its state is unknown. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && /^(RuntimeError|ExitStatus)$/.test(error.name)
}

/** Ends the thread. The next one recovers the database as after a crash. */
function fail(error: unknown): never {
  throw error
}

/** Returns what can be cloned of an error. Parameters are left out, as with PostgreSQL. */
function describeError(thrown: unknown): { readonly error: Error; readonly fields: object } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const fields = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return { error, fields: Object.fromEntries(fields) }
}
