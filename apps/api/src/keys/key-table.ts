import type { KeyScope } from '@tallystick/core'
import { hashSecret, type StoredKey } from './key-store.ts'
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

export type KeyEntry = { readonly key: RingKey; readonly expiresAtMs: number; lastUsedAtMs: number }

/** An empty table. The rate windows and counts of `before` go on for the keys that are taken in. */
export function createKeyTable(before: ReadonlyMap<string, RingKey> = new Map()) {
  const entriesByHash = new Map<string, KeyEntry>()
  const hashesById = new Map<string, readonly string[]>()
  const keysById = new Map<string, RingKey>()
  const known = new Set<string>()

  const take = (stored: StoredKey) => {
    const { id } = stored
    known.add(id)
    for (const hash of hashesById.get(id) ?? []) entriesByHash.delete(hash)
    hashesById.delete(id)
    if (stored.revokedAt !== null) {
      keysById.delete(id)
      return
    }
    const key = toRingKey(stored, keysById.get(id) ?? before.get(id))
    keysById.set(id, key)
    for (const { hash, expiresAt } of stored.secrets) {
      const expiresAtMs = Math.min(toMs(stored.expiresAt), toMs(expiresAt))
      entriesByHash.set(hash, { key, expiresAtMs, lastUsedAtMs: 0 })
    }
    const hashes = stored.secrets.map(({ hash }) => hash)
    hashesById.set(id, hashes)
  }
  return {
    // A malformed secret has no entry either: its form and checksum need no check.
    find: (secret: string) => entriesByHash.get(hashSecret(secret)),
    /** Takes in one key: new, changed or revoked. */
    take,
    keysById: keysById as ReadonlyMap<string, RingKey>,
    /** A key that was rotated has two secrets for a while, and is listed once. */
    listInForce: (nowMs: number): readonly RingKey[] => {
      const inForce = [...entriesByHash.values()].filter(({ expiresAtMs }) => nowMs < expiresAtMs)
      return [...new Map(inForce.map(({ key }) => [key.id, key])).values()]
    },
    /** Keys in force. */
    get size() {
      return hashesById.size
    },
    /** Keys of any state that were taken in. */
    get known() {
      return known.size
    },
  }
}

/** Window and counts outlive a rotation: a new secret is not a new allowance. */
function toRingKey({ id, rpm, scopes }: StoredKey, known: RingKey | undefined): RingKey {
  const window = rpm === null ? undefined : known?.window?.limit === rpm ? known.window : createRateWindow(rpm)
  return { id, scopes: new Set(scopes), window, uses: known?.uses ?? { notes: 0, data: 0, rate: 0 } }
}

function toMs(seconds: bigint | null): number {
  return seconds === null ? Number.POSITIVE_INFINITY : Number(seconds) * 1000
}
