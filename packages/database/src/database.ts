import type { MessagePort } from 'node:worker_threads'
import type { StopSignal } from '@tallystick/base'

/** Database or transaction that can run a statement. */
export type Queryable = {
  /**
   * Runs one statement and returns its rows. On both engines `int8` is returned as bigint, `numeric` as string, `bytea` as
   * Uint8Array, arrays and JSON as JavaScript values.
   */
  query<Row extends object>(text: string, parameters?: readonly unknown[], options?: QueryOptions): Promise<Row[]>
}

type QueryOptions = {
  /** Prepares the statement once per connection. Set it for texts that are used often. On PGlite only for `read`. */
  readonly isFrequent?: boolean | undefined
}

/** Transaction of a database. */
export type Transaction = Queryable & {
  /** Runs `copy … from stdin`. `rows` are in PostgreSQL's text format. It is the fastest way to insert many rows. */
  copy(text: string, rows: string): Promise<void>
}

/** Signal that cancels a running statement on PostgreSQL. PGlite cannot: there, only a waiting statement never starts. */
export type Cancellable = { readonly signal?: StopSignal | undefined }

export type OpenOptions = {
  /** Connections for statements on PostgreSQL; 10 by default. Locks and notifications use further ones. */
  readonly connectionsMax?: number | undefined
  /** Time limit of a statement on PostgreSQL; 30 s by default. */
  readonly statementTimeoutMs?: number | undefined
}

/** Lock with one holder among all processes. It ends with its release, its process or its connection. */
export type Lock = {
  /** Aborted when the lock is released or lost with its connection. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

export type Database = Queryable & {
  readonly engine: 'postgres' | 'pglite'
  /** Human-readable location of the database. Never contains a password. */
  readonly label: string
  /** Runs `work` in a transaction. Commits when it resolves and rolls back when it throws. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** Runs reads on one consistent snapshot. */
  snapshot<Result>(work: (snapshot: Queryable) => Promise<Result>, options?: Cancellable): Promise<Result>
  /** Runs one statement that can be cancelled. */
  read<Row extends object>(
    text: string,
    parameters: readonly unknown[],
    options: QueryOptions & Cancellable,
  ): Promise<Row[]>
  notify(channel: string, payload?: string): Promise<void>
  /**
   * Calls `onNotify` for every notification on a channel (a plain lower-case identifier), from any process. After a
   * reconnect it is called once without a payload: notifications may have been missed. Resolves to a function that stops
   * listening.
   */
  listen(channel: string, onNotify: (payload: string | undefined) => void): Promise<() => Promise<void>>
  /** Takes a named lock. Resolves to undefined, without waiting, if another holder in any process has it. */
  tryLock(name: string): Promise<Lock | undefined>
  /** Opens a port through which another thread of this process uses the embedded database. PostgreSQL has connections. */
  openPort?(): Promise<MessagePort>
  close(): Promise<void>
}
