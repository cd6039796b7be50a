import type { StopSignal } from '@tallystick/core/signal/create-abort'

/** What runs a statement: a database, or a transaction on it. */
export type Queryable = {
  /**
   * Runs one statement and returns its rows. `int8` comes back as bigint, `numeric` as string, `bytea` as Uint8Array,
   * arrays and JSON as JavaScript values, on either engine.
   */
  query<Row extends object>(text: string, parameters?: readonly unknown[], options?: QueryOptions): Promise<Row[]>
}

export type QueryOptions = {
  /** That this very text comes often: it is then read and planned once per connection. On PGlite for `read` only. */
  readonly isFrequent?: boolean | undefined
}

/** Breaks off the statement that runs, on PostgreSQL; on PGlite, which cannot, it keeps one that waits from being begun. */
export type Cancellable = { readonly signal?: StopSignal | undefined }

export type OpenOptions = {
  /** On PostgreSQL, for statements; locks and notifications have connections beside. 10 by default. */
  readonly connectionsMax?: number | undefined
}

/** Something only one holder among all processes has, until it releases it or its process or connection ends. */
export type Lock = {
  /** Aborted from the moment the lock is no longer held: released, or lost with its connection. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

export type Database = Queryable & {
  readonly engine: 'postgres' | 'pglite'
  /** Where the database is, for people: never holds a password. */
  readonly label: string
  /** Commits when `work` resolves, rolls back when it throws. Nothing else runs inside it. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>
  /** Reads, all from the state at one moment. */
  snapshot<Result>(work: (snapshot: Queryable) => Promise<Result>, options?: Cancellable): Promise<Result>
  /** One statement that can be broken off. */
  read<Row extends object>(
    text: string,
    parameters: readonly unknown[],
    options: QueryOptions & Cancellable,
  ): Promise<Row[]>
  notify(channel: string, payload?: string): Promise<void>
  /**
   * Calls `onNotify` for every notification on a channel (a plain lower-case identifier), from any process. After a lost connection is back it is called
   * once without a payload, since something may have been missed. Resolves to a function that stops listening.
   */
  listen(channel: string, onNotify: (payload: string | undefined) => void): Promise<() => Promise<void>>
  /** Takes the lock of a name if nobody has it, in any process; resolves to undefined, without waiting, if somebody has. */
  tryLock(name: string): Promise<Lock | undefined>
  close(): Promise<void>
}
