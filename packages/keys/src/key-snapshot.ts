import { isDeepStrictEqual } from 'node:util'
import { createTrust } from '@tallystick/base'
import type { KeyScope } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import type { Logger } from 'pino'
import type { KeyLimits } from './api-key.ts'
import type { CreateLimit, KeyLimit } from './limits/key-limit.ts'
import { type KeyChanges, type KeyPosition, noPosition, readKeyChanges, type StoredKey } from './read-key-changes.ts'

/** Key that requests are checked against. Later snapshots keep its window and its counts. */
export type RingKey = {
  readonly id: string
  readonly scopes: ReadonlySet<KeyScope>
  /** Undefined if the key has no limit. */
  readonly limit: KeyLimit | undefined
  /** Values that `limit` and `allows` were created from. */
  readonly limits: KeyLimits
  /** Returns whether the key may be used from an address. Undefined if it may be used from any. */
  readonly allows: ((address: string) => boolean) | undefined
  /** Requests since the start of the service, by scope. Authentication increments them. */
  readonly uses: KeyUses
}

export type KeyUses = Record<KeyScope, number>

/** All keys at one position of their history. A snapshot never changes: a refresh replaces it as a whole. */
export type KeySnapshot = {
  readonly position: KeyPosition
  /** Keys by id, revoked ones included. */
  readonly keys: ReadonlyMap<string, StoredKey & { readonly ring: RingKey }>
  /** Secrets of the keys that are not revoked, by hash. */
  readonly secrets: ReadonlyMap<string, { readonly key: RingKey; readonly expiresAtMs: number }>
}

export const emptySnapshot: KeySnapshot = { position: noPosition, keys: new Map(), secrets: new Map() }

/** Reads the snapshot that follows `before`. If no key changed, its maps are those of `before`. */
export async function readKeySnapshot(
  database: Queryable,
  {
    before,
    log,
    createLimit,
  }: { readonly before: KeySnapshot; readonly log: Logger; readonly createLimit: CreateLimit },
): Promise<KeySnapshot> {
  const changes = await readKeyChanges(database, before.position)
  if (!changes) return before
  const next = applyKeyChanges(before, changes, createLimit)
  if (changes.isForward && next.keys.size === changes.count) return next
  // A key that was deleted by hand is not among the changes.
  const everything = changes.isForward ? await readKeyChanges(database, noPosition) : undefined
  const all = everything ? applyKeyChanges(before, everything, createLimit) : next
  if (before !== emptySnapshot) log.warn({ keys: countActive(all) }, 'key history changed; all keys reloaded')
  return all
}

/** Counts the keys that are not revoked. */
export function countActive({ keys }: KeySnapshot): number {
  return [...keys.values()].filter(isActive).length
}

/** Lists the keys in force. A rotated key has two secrets for a while and is listed once. */
export function listInForce({ secrets }: KeySnapshot, nowMs: number): readonly RingKey[] {
  const inForce = [...secrets.values()].filter(({ expiresAtMs }) => nowMs < expiresAtMs)
  return [...new Set(inForce.map(({ key }) => key))]
}

function applyKeyChanges(
  before: KeySnapshot,
  { head, isForward, keys: changed }: KeyChanges,
  createLimit: CreateLimit,
): KeySnapshot {
  if (isForward && changed.length === 0) return { ...before, position: head }
  const keys = new Map(isForward ? before.keys : [])
  for (const key of changed) {
    keys.set(key.id, { ...key, ring: toRingKey(key, before.keys.get(key.id)?.ring, createLimit) })
  }
  const secrets = [...keys.values()].filter(isActive).flatMap(({ ring, secrets, expiresAt }) =>
    secrets.map((secret) => {
      const expiresAtMs = Math.min(toMs(expiresAt), toMs(secret.expiresAt))
      return [secret.hash, { key: ring, expiresAtMs }] as const
    }),
  )
  return { position: head, keys, secrets: new Map(secrets) }
}

function isActive({ revokedAt }: Pick<StoredKey, 'revokedAt'>): boolean {
  return revokedAt === null
}

/** Keeps limit and counts across a change: a new secret is not a new allowance. */
function toRingKey(key: StoredKey, known: RingKey | undefined, createLimit: CreateLimit): RingKey {
  const { id, rpm, burst, quotaPerDay, quotaPerMonth, allow } = key
  const limits = { rpm, burst, quotaPerDay, quotaPerMonth, allow }
  const scopes = new Set(key.scopes)
  if (known && isDeepStrictEqual(known.limits, limits)) return { ...known, scopes }
  return {
    id,
    scopes,
    limits,
    limit: createLimit(id, limits),
    allows: allow === null ? undefined : createAllows(allow),
    uses: known?.uses ?? { notes: 0, data: 0, rate: 0 },
  }
}

/** A list that was changed by hand and cannot be parsed allows nothing. It must not stop the other keys from loading. */
function createAllows(networks: readonly string[]): (address: string) => boolean {
  try {
    return createTrust(networks)
  } catch {
    return () => false
  }
}

function toMs(seconds: bigint | null): number {
  return seconds === null ? Number.POSITIVE_INFINITY : Number(seconds) * 1000
}
