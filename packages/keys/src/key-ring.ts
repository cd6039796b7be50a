import { hash } from 'node:crypto'
import { repeat, runOneAtATime, type Time, toSeconds } from '@tallystick/base'
import { type Database, followChanges } from '@tallystick/database'
import type { Logger } from 'pino'
import { countActive, emptySnapshot, listInForce, type RingKey, readKeySnapshot } from './key-snapshot.ts'
import type { CreateLimit } from './limits/key-limit.ts'
import { type KeyPosition, keysChannel } from './read-key-changes.ts'

/** API keys in memory, kept in sync with the database. */
export type KeyRing = {
  /** Returns the key of a secret, or undefined if it is malformed, unknown, revoked or expired. Never waits. */
  find(secret: string, nowMs: number): RingKey | undefined
  /** Returns the key of a secret's hash like `find`. It is not a use of the key. */
  findByHash(hash: string, nowMs: number): RingKey | undefined
  /** Loads the changes in the database. */
  refresh(): Promise<void>
  /** Position of the last change that was loaded. */
  readonly position: KeyPosition
  /** Calls `listener` after each load that changed keys. */
  onChange(listener: () => void): void
  /** Number of keys that are not revoked. */
  readonly size: number
  /** Lists the keys in force and how often each was used. */
  usage(nowMs: number): readonly Pick<RingKey, 'id' | 'uses'>[]
  /** Lists all keys, revoked and expired ones included, and how often each was used. */
  listAll(): readonly Pick<RingKey, 'id' | 'uses'>[]
  /** UTC hours in which keys are used. */
  readonly useHours: Omit<ReturnType<typeof createUseHours>, 'note'>
  close(): Promise<void>
}

// A notification announces a change at once. Polling covers lost notifications: a change takes effect within a second.
const pollMs = 500

type KeyRingOptions = {
  readonly database: Database
  readonly time: Time
  readonly log: Logger
  readonly createLimit: CreateLimit
}

/** Loads the keys and reloads them when they change in the database. */
export async function openKeyRing({ database, time, log, createLimit }: KeyRingOptions): Promise<KeyRing> {
  let snapshot = emptySnapshot
  const listeners: (() => void)[] = []
  const recorder = startKeyUseRecorder({ database, time, log })
  const useHours = createUseHours()
  const recentHashes = createRecentHashes(time)
  const refresh = runOneAtATime(async () => {
    const before = snapshot
    snapshot = await readKeySnapshot(database, { before, log, createLimit })
    if (snapshot.secrets !== before.secrets) for (const listener of listeners) listener()
  })
  await refresh()
  const stopFollowing = await followChanges(database, {
    channel: keysChannel,
    time,
    pollMs,
    refresh,
    onFailure: (error) => log.warn({ err: error }, 'API key refresh failed; keeping the keys in memory'),
  })

  const findByHash = (hash: string, nowMs: number) => {
    const found = snapshot.secrets.get(hash)
    return found && nowMs < found.expiresAtMs ? found.key : undefined
  }

  return {
    find: (secret, nowMs) => {
      // A malformed secret has no entry either, so its form and checksum need no check.
      const known = recentHashes.get(secret)
      const hashed = known ?? hashSecret(secret)
      const key = findByHash(hashed, nowMs)
      if (!key) return undefined
      if (known === undefined) recentHashes.keep(secret, hashed)
      useHours.note(nowMs)
      recorder.note(key.id, nowMs)
      return key
    },
    findByHash,
    refresh,
    get position() {
      return snapshot.position
    },
    onChange: (listener) => listeners.push(listener),
    get size() {
      return countActive(snapshot)
    },
    usage: (nowMs) => listInForce(snapshot, nowMs),
    listAll: () => [...snapshot.keys.values()].map(({ ring }) => ring),
    useHours,
    close: async () => {
      await stopFollowing()
      await recorder.close()
    },
  }
}

/** Returns the hash under which a secret is stored and looked up. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

// A busy key is hashed once in this time.
const recentMs = 1_000
const recentMax = 1_000

/**
 * Keeps the hashes of valid secrets for a second. Hashing takes a twentieth of a request. The time of a lookup reveals
 * nothing: the engine compares texts only if their hashes are equal, which it computes with a random seed.
 */
function createRecentHashes(time: Pick<Time, 'setTimer'>) {
  const hashes = new Map<string, string>()
  return {
    get: (secret: string) => hashes.get(secret),
    keep: (secret: string, hashed: string) => {
      if (hashes.size >= recentMax) return
      if (hashes.size === 0) time.setTimer({ name: 'hashed secrets', ms: recentMs }, () => hashes.clear())
      hashes.set(secret, hashed)
    },
  }
}

const useStoredMs = 60_000

/** Stores when keys were last used, at most once a minute for each key. */
function startKeyUseRecorder({ database, time, log }: Pick<KeyRingOptions, 'database' | 'time' | 'log'>) {
  const lastUses = new Map<string, { readonly atMs: number; isStored: boolean }>()
  const store = async () => {
    const pending = [...lastUses].filter(([, { isStored }]) => !isStored)
    if (pending.length === 0) return
    for (const [, use] of pending) use.isStored = true
    // The revision stays: this is not a change of the key.
    const statement = `update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
      from unnest($1::text[], $2::bigint[]) as u (id, at) where k.id = u.id`
    const uses = [pending.map(([id]) => id), pending.map(([, { atMs }]) => toSeconds(atMs).toString())]
    await database.query(statement, uses).catch((error) => log.warn({ err: error }, 'last use of keys not stored'))
  }
  const timer = repeat(time, { name: 'last use of keys', ms: useStoredMs }, store)
  return {
    /** Notes a use. Never waits. */
    note: (id: string, nowMs: number) => {
      const last = lastUses.get(id)
      if (last && nowMs >= last.atMs && nowMs - last.atMs < useStoredMs) return
      lastUses.set(id, { atMs: nowMs, isStored: false })
    },
    /** Stores the uses that are not stored yet. */
    close: () => {
      timer.stop()
      return store()
    },
  }
}

const hourMs = 3_600_000

/** Returns the number of a UTC hour. */
export function hourOf(nowMs: number): number {
  return Math.floor(nowMs / hourMs)
}

function createUseHours() {
  const listeners: ((hour: number) => void)[] = []
  let last: number | undefined
  return {
    /** Notes a use. Call it before the use is counted. */
    note: (nowMs: number) => {
      const hour = hourOf(nowMs)
      if (hour === last) return
      if (last !== undefined) for (const listener of listeners) listener(last)
      last = hour
    },
    /** Hour of the last use. Undefined before the first. */
    get last() {
      return last
    },
    /** Calls `listener` with the hour of the last use when the next one is in another hour, before it is counted. */
    onEnd: (listener: (hour: number) => void) => void listeners.push(listener),
  }
}
