import type { Queryable } from '../database.ts'
import type { Request } from './messages.ts'
import type { Asked, Turns } from './port-turns.ts'

type Transaction = Queryable & {
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
      transaction(async (query) => {
        if (isSnapshot) await query('set transaction isolation level repeatable read, read only')
        const isCommit = await new Promise<boolean>((decide) => {
          const end = (isCommit: boolean) => {
            transactions.delete(asked.id)
            decide(isCommit)
            return ended
          }
          transactions.set(asked.id, { query, end })
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
