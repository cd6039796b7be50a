import { repeat, runOneAtATime, type Time } from '@tallystick/base'
import type { KeyScope } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { dayOf, type KeyRing } from './key-ring.ts'
import type { KeyUses } from './key-snapshot.ts'
import { addKeyUsage, type KeyUsage } from './key-usage-store.ts'

/** Stores the requests of each key by the UTC day they were made on, once a minute. */
export type KeyUsageRecorder = ReturnType<typeof startKeyUsageRecorder>

const intervalMs = 60_000

type KeyUsageRecorderOptions = {
  readonly database: Database
  readonly keyRing: Pick<KeyRing, 'listAll' | 'useDays'>
  readonly time: Time
  readonly log: Logger
}

export function startKeyUsageRecorder({ database, keyRing, time, log }: KeyUsageRecorderOptions) {
  // The counts of a key are one object as long as the process knows the key.
  const stored = new WeakMap<KeyUses, KeyUses>()
  const copyUses = () => keyRing.listAll().map(({ id, uses }) => ({ id, uses, copy: { ...uses } }))
  /** Counts at the end of each day since the last store. */
  const ended: DayCounts[] = []
  keyRing.useDays.onEnd((day) => ended.push({ day, counts: copyUses() }))
  const store = runOneAtATime(async () => {
    const today = dayOf(time.now())
    const endedCount = ended.length
    const last = { day: keyRing.useDays.last ?? today, counts: copyUses() }
    const added = listUsage([...ended, last], (uses) => stored.get(uses))
    if (added.length > 0) await addKeyUsage(database, added, today)
    ended.splice(0, endedCount)
    for (const { uses, copy } of last.counts) stored.set(uses, copy)
  })
  const storeInBackground = () => store().catch((error) => log.warn({ err: error }, 'key usage not stored; retrying'))
  const timer = repeat(time, { name: 'key usage', ms: intervalMs }, storeInBackground)
  return {
    /** Stores the requests that are not stored yet. Throws if the database fails: they are then stored later. */
    store,
    stop: () => {
      timer.stop()
      return storeInBackground()
    },
  }
}

type DayCounts = {
  readonly day: number
  readonly counts: readonly { readonly id: string; readonly uses: KeyUses; readonly copy: KeyUses }[]
}

/** Returns the requests of each key, day and scope. A day that ended twice, because the clock was set back, is one row. */
function listUsage(
  days: readonly DayCounts[],
  findStored: (uses: KeyUses) => KeyUses | undefined,
): readonly KeyUsage[] {
  const before = new Map<KeyUses, KeyUses>()
  const rows = new Map<string, KeyUsage>()
  for (const { day, counts } of days) {
    for (const { id: keyId, uses, copy } of counts) {
      const counted = before.get(uses) ?? findStored(uses)
      before.set(uses, copy)
      for (const scope of Object.keys(copy) as KeyScope[]) {
        const requests = copy[scope] - (counted?.[scope] ?? 0)
        if (requests === 0) continue
        const name = `${keyId} ${day} ${scope}`
        rows.set(name, { keyId, day, scope, requests: requests + (rows.get(name)?.requests ?? 0) })
      }
    }
  }
  return [...rows.values()]
}
