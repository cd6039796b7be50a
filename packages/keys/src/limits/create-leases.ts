import { createBackgroundWork, repeat, sleep, type Time, type Timer } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { createLeaseKeeper } from './lease-keeper.ts'
import { createLeaseStore, deletePastLeases } from './lease-store.ts'

/** What tests of the limits change and observe besides the time. */
export type LimitTestOptions = {
  /** Milliseconds added to the database's clock. */
  readonly databaseShiftMs: () => number
  /** Called after each settlement, also after one that failed. */
  readonly onSettled: () => void
}

export type Leases = ReturnType<typeof createLeases>

const intervalMs = 250
// Before an early settlement, so that one of them serves all leases that run low together.
const soonMs = 10
const cleanMs = 60_000

type LeasesOptions = {
  readonly database: Database
  readonly id: string
  readonly log: Logger
  readonly time: Time
  readonly test?: LimitTestOptions | undefined
}

/** Creates the leases of this replica with the timers that settle them. */
export function createLeases({ database, id, log, time, test }: LeasesOptions) {
  let early: Timer | undefined
  let timers: Timer[] = []
  let joinedAtMs = Number.NEGATIVE_INFINITY
  const keeper = createLeaseKeeper({
    id,
    store: createLeaseStore(database, test?.databaseShiftMs),
    time,
    isAlone: database.engine === 'pglite',
    settleSoon: () => {
      // While the database is away, the interval is often enough.
      if (timers.length > 0 && !settling.isFailing)
        early ??= time.setTimer({ name: 'early limits', ms: soonMs }, settle)
    },
    onRestored: () => log.warn('database was restored; limits continue from the counts of each replica'),
  })
  const settling = createBackgroundWork(keeper.settle, (error) =>
    log.warn({ err: error }, 'limits not in sync; each replica uses its share'),
  )
  const settle = () => {
    early = undefined
    void settling.run().finally(() => test?.onSettled())
  }
  const clean = () => deletePastLeases(database, test?.databaseShiftMs()).catch(() => undefined)
  return {
    keeper,
    /** Joins the other replicas and begins to settle. Call it when this replica is announced. */
    start: async () => {
      joinedAtMs = await keeper.join()
      timers = [
        repeat(time, { name: 'limits', ms: intervalMs }, settle),
        repeat(time, { name: 'past limits', ms: cleanMs }, clean),
      ]
    },
    /** Resolves when the other replicas count this one. At once if there are none. */
    ready: async () => {
      const waitMs = joinedAtMs - time.monotonic()
      // A timer may fire up to a millisecond early.
      if (waitMs > 0) await sleep(time, { name: 'joining of limits', ms: Math.ceil(waitMs) + 1 })
      // However long the start took, the interval may not have read since then.
      if (keeper.hasJoined()) return
      await keeper.settle().catch((error) => log.warn({ err: error }, 'limits not in sync; requests may be rejected'))
    },
    stop: async () => {
      for (const timer of timers.splice(0)) timer.stop()
      early?.stop()
      // Not awaited: a database that stalls must not delay the stop by this settlement too.
      void settling.stop()
      await keeper.leave().catch((error) => log.warn({ err: error }, 'returning unspent requests failed'))
    },
  }
}
