import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { toSeconds } from '../clock.ts'
import { type KeyPosition, keysChannel, readKeyChanges, recordKeyUse } from './key-store.ts'
import { createKeyTable, type RingKey } from './key-table.ts'

export type { KeyUses, RingKey } from './key-table.ts'

export type KeyRing = {
  /** The key a secret belongs to, or undefined if it is malformed, unknown, revoked or expired. Never waits. */
  find(secret: string, nowMs: number): RingKey | undefined
  /** Takes in what changed in the database. */
  refresh(): Promise<void>
  /** The last change that was taken in. */
  readonly position: KeyPosition
  /** Calls `listener` after each change that is taken in. */
  onTakenIn(listener: () => void): void
  readonly size: number
  /** Lists the keys in force and how often each was used. */
  usage(nowMs: number): readonly Pick<RingKey, 'id' | 'uses'>[]
  close(): Promise<void>
}

// Notifications make a change arrive at once; this is for when they do not, and keeps "within a second" true then too.
const pollIntervalMs = 500
const recordIntervalMs = 60_000
const nowhere: KeyPosition = { revision: -1n, changeId: null }

/** Loads the keys and keeps them in step with the database, whoever changes it. */
export async function openKeyRing({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Logger
}): Promise<KeyRing> {
  let table = createKeyTable()
  let position = nowhere
  let failing = false
  const used = new Map<string, number>()
  const listeners: (() => void)[] = []

  /** Returns false if the keys in memory are still not those of the database. */
  const takeIn = async (after: KeyPosition): Promise<boolean> => {
    const { head, isForward, count, keys } = await readKeyChanges(database, after)
    // Filled before it replaces the one in use: there is no moment without keys.
    const next = isForward ? table : createKeyTable(table.keysById)
    for (const stored of keys) next.take(stored)
    const isChanged = !isForward || keys.length > 0
    if (!isForward && position !== nowhere) log.warn({ keys: next.size }, 'key history changed; all keys reloaded')
    table = next
    position = head
    if (isChanged) for (const listener of listeners) listener()
    return next.known === count
  }
  const refresh = serialise(async () => {
    // Keys that were deleted by hand leave no change to follow.
    if (!(await takeIn(position))) await takeIn(nowhere)
  })
  const refreshInBackground = () => {
    refresh().then(
      () => {
        failing = false
      },
      (error) => {
        if (!failing) log.warn({ err: error }, 'keys cannot be refreshed; those known stay in force')
        failing = true
      },
    )
  }
  const flush = async () => {
    const uses = [...used].map(([id, atMs]) => ({ id, atSeconds: toSeconds(atMs) }))
    used.clear()
    await recordKeyUse(database, uses)
  }

  await refresh()
  const stopListening = await database.listen(keysChannel, refreshInBackground)
  // Nobody but this process can change an embedded database.
  const poll = database.engine === 'postgres' ? setInterval(refreshInBackground, pollIntervalMs) : undefined
  const record = setInterval(() => {
    flush().catch((error) => log.warn({ err: error }, 'last use of keys cannot be recorded'))
  }, recordIntervalMs)
  poll?.unref()
  record.unref()

  return {
    find: (secret, nowMs) => {
      const entry = table.find(secret)
      if (!entry || nowMs >= entry.expiresAtMs) return undefined
      if (nowMs - entry.lastUsedAtMs >= recordIntervalMs || nowMs < entry.lastUsedAtMs) {
        entry.lastUsedAtMs = nowMs
        used.set(entry.key.id, nowMs)
      }
      return entry.key
    },
    refresh,
    get position() {
      return position
    },
    onTakenIn: (listener) => listeners.push(listener),
    get size() {
      return table.size
    },
    usage: (nowMs) => table.listInForce(nowMs),
    close: async () => {
      clearInterval(poll)
      clearInterval(record)
      await stopListening()
      await flush().catch((error) => log.warn({ err: error }, 'last use of keys cannot be recorded'))
    },
  }
}

/** One at a time: a call made while one runs is answered by one more run after it, shared by all who came meanwhile. */
function serialise(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = () => {
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (!running) return start()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}
