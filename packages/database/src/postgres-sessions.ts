import pg from 'pg'
import { adaptError } from './adapt-error.ts'
import type { Cancellable, Queryable, Transaction } from './database.ts'
import { runPrepared } from './postgres-prepared.ts'

/** Connection reserved for some work. */
export type Session = Transaction & {
  /** Marks the connection's state as unknown. It is then closed, not reused. */
  fail(error: Error): void
}

type SessionOptions = {
  readonly label: string
  readonly cancel: (processId: number) => Promise<void>
  readonly types: pg.CustomTypesConfig
}

// Each takes some memory on every connection. Further texts are planned on every call.
const preparedMax = 300

/** Creates sessions on the connections of a pool. `cancel` cancels the statement of a server process. */
export function createSessions(pool: pg.Pool, { label, cancel, types }: SessionOptions) {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= preparedMax) return known
    const name = `tallystick ${names.size}`
    names.set(text, name)
    return name
  }
  const queryWith =
    (client: pg.Pool | pg.PoolClient): Queryable['query'] =>
    async <Row extends object>(text: string, parameters: readonly unknown[] = [], { isFrequent = false } = {}) => {
      try {
        const name = isFrequent ? nameOf(text) : undefined
        if (name === undefined) return (await client.query(text, parameters as unknown[])).rows as Row[]
        return await runPrepared<Row>(client, { statement: { name, text, parameters }, types })
      } catch (error) {
        return adaptError(error, label)
      }
    }
  const copyWith =
    (client: pg.PoolClient): Transaction['copy'] =>
    (text, rows) =>
      copy(client, { text, rows }).catch((error) => adaptError(error, label))
  return {
    query: queryWith(pool),
    use: async <Result>({ signal }: Cancellable, work: (session: Session) => Promise<Result>): Promise<Result> => {
      signal?.throwIfAborted()
      const client = await pool.connect().catch((error) => adaptError(error, label))
      let broken: Error | undefined
      const fail = (error: Error) => {
        broken = error
      }
      client.on('error', fail)
      let cancelling: Promise<void> | undefined
      const onAbort = () => {
        cancelling = cancel((client as { processID?: number }).processID ?? 0)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        signal?.throwIfAborted()
        return await work({ query: queryWith(client), copy: copyWith(client), fail })
      } finally {
        signal?.removeEventListener('abort', onAbort)
        // Before the connection is reused: a late cancel would hit another statement.
        await cancelling
        client.off('error', fail)
        // A connection in an unknown state is closed, not reused.
        client.release(broken)
      }
    },
  }
}

/** Part of the driver that its types lack. The driver calls it when the server waits for the rows. */
type CopyQuery = pg.Query & {
  callback: (error: Error | null) => void
  handleCopyInResponse: (connection: { sendCopyFromChunk(rows: Buffer): void; endCopyFrom(): void }) => void
}

function copy(client: pg.PoolClient, { text, rows }: { readonly text: string; readonly rows: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text) as CopyQuery
    query.callback = (error) => (error ? reject(error) : resolve())
    query.handleCopyInResponse = (connection) => {
      connection.sendCopyFromChunk(Buffer.from(rows))
      connection.endCopyFrom()
    }
    client.query(query)
  })
}
