import { setImmediate as turn } from 'node:timers/promises'
import type { Transaction as Open } from '../database.ts'
import type { Engine } from './engine.ts'
import type { Request, ToThread } from './messages.ts'

type Transaction = Open & {
  /** Commits it or rolls it back. */
  end(isCommit: boolean): Promise<void>
}

export type Transactions = {
  /** Resolves when the transaction has begun. Its turn lasts until its end. */
  begin(request: Extract<Request, { kind: 'begin' }>, asked: Asked): Promise<void>
  find(id: number): Transaction
  end(request: Extract<Request, { kind: 'end' }>): Promise<void>
  /** Rolls back. */
  close(): void
}

/** Thrown in a transaction to roll it back. */
const rolledBack = new Error('The transaction was rolled back.')

/** Creates the transactions of one port. */
export function createTransactions(turns: Pick<Turns, 'alone'>): Transactions {
  const transactions = new Map<number, Transaction>()
  let isClosed = false
  const find = (id: number) => {
    const found = transactions.get(id)
    if (!found) throw new Error('The transaction has ended.')
    return found
  }
  const runUntilEnd = (asked: Asked, { isSnapshot, begun }: { isSnapshot: boolean; begun: () => void }) => {
    const ended: Promise<void> = turns.alone(asked, ({ transaction }) =>
      transaction(async (open) => {
        if (isSnapshot) await open.query('set transaction isolation level repeatable read, read only')
        const isCommit = await new Promise<boolean>((decide) => {
          const end = (isCommit: boolean) => {
            transactions.delete(asked.id)
            decide(isCommit)
            return ended
          }
          transactions.set(asked.id, { ...open, end })
          begun()
          if (isClosed) decide(false)
        })
        if (!isCommit) throw rolledBack
      }),
    )
    return ended
  }
  return {
    begin: ({ isSnapshot }, asked) =>
      new Promise((begun, reject) => {
        runUntilEnd(asked, { isSnapshot, begun }).catch(reject)
      }),
    find,
    end: async ({ transaction, isCommit }) => {
      await find(transaction)
        .end(isCommit)
        .catch((error) => {
          if (error !== rolledBack) throw error
        })
    },
    close: () => {
      isClosed = true
      for (const { end } of transactions.values()) end(false).catch(() => undefined)
    },
  }
}

export type Asked = Extract<ToThread, { id: number }>

type Turns = {
  /** Runs the work of a request alone, when those before it have ended, unless it was aborted meanwhile. */
  alone<Result>(asked: Asked, work: (engine: Engine) => Promise<Result>): Promise<Result>
  abort(id: number): void
  /** Aborts everything that waits. */
  close(): void
}

/** Creates the turns of one port. All ports share the engine's queue. */
export function createTurns(opening: Promise<Engine>): Turns {
  const waiting = new Set<number>()
  return {
    alone: async ({ id, isCancellable }, work) => {
      waiting.add(id)
      const engine = await opening
      return engine.alone(async () => {
        // Messages that arrived during the last statement are read first. One may be the abort.
        if (isCancellable) await turn()
        if (!waiting.delete(id)) throw new Error('The statement was aborted before its start.')
        return work(engine)
      })
    },
    abort: (id) => void waiting.delete(id),
    close: () => waiting.clear(),
  }
}
