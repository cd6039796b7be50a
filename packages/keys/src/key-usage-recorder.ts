import { repeat, runOneAtATime, type Time } from '@tallystick/base'
import type { KeyScope } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { hourOf, type KeyRing } from './key-ring.ts'
import type { KeyUses } from './key-snapshot.ts'
import { addKeyUsage, type HourUsage } from './key-usage-store.ts'

/** Stores the requests of each key by the UTC hour they were made in, once a minute. */
export type KeyUsageRecorder = ReturnType<typeof startKeyUsageRecorder>

const intervalMs = 60_000

type KeyUsageRecorderOptions = {
  readonly database: Database
  readonly keyRing: Pick<KeyRing, 'listAll' | 'useHours'>
  readonly time: Time
  readonly log: Logger
}

export function startKeyUsageRecorder({ database, keyRing, time, log }: KeyUsageRecorderOptions) {
  // The counts of a key are one object as long as the process knows the key.
  const stored = new WeakMap<KeyUses, KeyUses>()
  const copyUses = () => keyRing.listAll().map(({ id, uses }) => ({ id, uses, copy: { ...uses } }))
  /** Counts at the end of each hour since the last store. */
  const ended: HourCounts[] = []
  keyRing.useHours.onEnd((hour) => ended.push({ hour, counts: copyUses() }))
  const store = runOneAtATime(async () => {
    const thisHour = hourOf(time.now())
    const endedCount = ended.length
    const last = { hour: keyRing.useHours.last ?? thisHour, counts: copyUses() }
    const added = listUsage([...ended, last], (uses) => stored.get(uses))
    if (added.length > 0) await addKeyUsage(database, added, thisHour)
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

type HourCounts = {
  readonly hour: number
  readonly counts: readonly { readonly id: string; readonly uses: KeyUses; readonly copy: KeyUses }[]
}

/** Returns the requests of each key, hour and scope. An hour that ended twice, because the clock was set back, is one row. */
function listUsage(
  hours: readonly HourCounts[],
  findStored: (uses: KeyUses) => KeyUses | undefined,
): readonly HourUsage[] {
  const before = new Map<KeyUses, KeyUses>()
  const rows = new Map<string, HourUsage>()
  for (const { hour, counts } of hours) {
    for (const { id: keyId, uses, copy } of counts) {
      const counted = before.get(uses) ?? findStored(uses)
      before.set(uses, copy)
      for (const scope of Object.keys(copy) as KeyScope[]) {
        const requests = copy[scope] - (counted?.[scope] ?? 0)
        if (requests === 0) continue
        const name = `${keyId} ${hour} ${scope}`
        rows.set(name, { keyId, hour, scope, requests: requests + (rows.get(name)?.requests ?? 0) })
      }
    }
  }
  return [...rows.values()]
}
