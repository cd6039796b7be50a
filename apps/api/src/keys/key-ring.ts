import type { KeyScope } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { toSeconds } from '../clock.ts'
import { findChangedKeys, hashSecret, keysChannel, recordKeyUse, type StoredKey } from './key-store.ts'
import { createRateWindow, type RateWindow } from './rate-window.ts'

/** A key in memory: what a request is checked against. Expiries are in milliseconds. */
export type RingKey = {
  readonly id: string
  readonly scopes: ReadonlySet<KeyScope>
  /** Undefined where the key has no limit. */
  readonly window: RateWindow | undefined
  /** Requests since the start of the service, by endpoint. The endpoints count here. */
  readonly uses: KeyUses
}

export type KeyUses = Record<KeyScope, number>

export type KeyRing = {
  /** The key a secret belongs to, or undefined if it is malformed, unknown, revoked or expired. Never waits. */
  find(secret: string, nowMs: number): RingKey | undefined
  /** Takes in what changed in the database. */
  refresh(): Promise<void>
  readonly size: number
  /** Lists the keys in force and how often each was used. */
  usage(nowMs: number): readonly Pick<RingKey, 'id' | 'uses'>[]
  close(): Promise<void>
}

type Entry = { key: RingKey; expiresAtMs: number; lastUsedAtMs: number }

// Notifications make a change arrive at once; this is for when they do not, and keeps "within a second" true then too.
const pollIntervalMs = 500
const recordIntervalMs = 60_000

/** Loads the keys and keeps them in step with the database, whoever changes it. */
export async function openKeyRing({
  database,
  log,
}: {
  readonly database: Database
  readonly log: Logger
}): Promise<KeyRing> {
  const entriesByHash = new Map<string, Entry>()
  const hashesById = new Map<string, readonly string[]>()
  const keysById = new Map<string, RingKey>()
  const used = new Map<string, number>()
  let revision = -1n
  let failing = false

  const take = (stored: StoredKey) => {
    for (const hash of hashesById.get(stored.id) ?? []) entriesByHash.delete(hash)
    hashesById.delete(stored.id)
    if (stored.revokedAt !== null) {
      keysById.delete(stored.id)
      return
    }
    const key = toRingKey(stored, keysById.get(stored.id))
    keysById.set(stored.id, key)
    for (const { hash, expiresAt } of stored.secrets) {
      const expiresAtMs = Math.min(toMs(stored.expiresAt), toMs(expiresAt))
      entriesByHash.set(hash, { key, expiresAtMs, lastUsedAtMs: 0 })
    }
    const hashes = stored.secrets.map(({ hash }) => hash)
    hashesById.set(stored.id, hashes)
  }
  const refresh = serialise(async () => {
    for (const stored of await findChangedKeys(database, revision)) {
      take(stored)
      revision = stored.revision
    }
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
      // What is malformed has no entry either: its form and checksum are not worth looking at.
      const entry = entriesByHash.get(hashSecret(secret))
      if (!entry || nowMs >= entry.expiresAtMs) return undefined
      if (nowMs - entry.lastUsedAtMs >= recordIntervalMs || nowMs < entry.lastUsedAtMs) {
        entry.lastUsedAtMs = nowMs
        used.set(entry.key.id, nowMs)
      }
      return entry.key
    },
    refresh,
    get size() {
      return hashesById.size
    },
    usage: (nowMs) => listKeysInForce(entriesByHash.values(), nowMs),
    close: async () => {
      clearInterval(poll)
      clearInterval(record)
      await stopListening()
      await flush().catch((error) => log.warn({ err: error }, 'last use of keys cannot be recorded'))
    },
  }
}

/** A key that was rotated has two secrets for a while, and is listed once. */
function listKeysInForce(entries: Iterable<Entry>, nowMs: number): readonly RingKey[] {
  const inForce = [...entries].filter(({ expiresAtMs }) => nowMs < expiresAtMs)
  return [...new Map(inForce.map(({ key }) => [key.id, key])).values()]
}

/** Window and counts outlive a rotation: a new secret is not a new allowance. */
function toRingKey({ id, rpm, scopes }: StoredKey, known: RingKey | undefined): RingKey {
  const window = rpm === null ? undefined : known?.window?.limit === rpm ? known.window : createRateWindow(rpm)
  return { id, scopes: new Set(scopes), window, uses: known?.uses ?? { notes: 0, data: 0, rate: 0 } }
}

function toMs(seconds: bigint | null): number {
  return seconds === null ? Number.POSITIVE_INFINITY : Number(seconds) * 1000
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
