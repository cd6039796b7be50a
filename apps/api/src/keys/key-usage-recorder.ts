import type { KeyScope } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { KeyRing } from './key-ring.ts'
import type { KeyUses } from './key-snapshot.ts'
import { addKeyUsage, type KeyUsage } from './key-usage-store.ts'
import { runOneAtATime } from './run-one-at-a-time.ts'

/** Stores the requests of each key by day, once a minute. */
export type KeyUsageRecorder = {
  /** Stores the requests that are not stored yet. Throws if the database fails: they are then stored later. */
  store(): Promise<void>
  stop(): Promise<void>
}

const intervalMs = 60_000
const dayMs = 86_400_000

/** Returns the number of a UTC day. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs)
}

export function startKeyUsageRecorder({
  database,
  keyRing,
  clock,
  log,
}: {
  readonly database: Database
  readonly keyRing: Pick<KeyRing, 'listAll'>
  readonly clock: Clock
  readonly log: Logger
}): KeyUsageRecorder {
  // The counts of a key are one object as long as the process knows the key.
  const stored = new WeakMap<KeyUses, KeyUses>()
  const store = runOneAtATime(async () => {
    const day = dayOf(clock.now())
    const counted = keyRing.listAll().map(({ id, uses }) => ({ id, uses, copy: { ...uses } }))
    const added = counted.flatMap(({ id, uses, copy }) =>
      (Object.keys(copy) as KeyScope[]).flatMap((scope): KeyUsage[] => {
        const requests = copy[scope] - (stored.get(uses)?.[scope] ?? 0)
        return requests > 0 ? [{ keyId: id, day, scope, requests }] : []
      }),
    )
    if (added.length === 0) return
    await addKeyUsage(database, added, day)
    for (const { uses, copy } of counted) stored.set(uses, copy)
  })
  const storeInBackground = () => store().catch((error) => log.warn({ err: error }, 'key usage not stored; retrying'))
  const timer = setInterval(storeInBackground, intervalMs)
  timer.unref()
  return {
    store,
    stop: () => {
      clearInterval(timer)
      return storeInBackground()
    },
  }
}
