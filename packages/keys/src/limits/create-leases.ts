import { setTimeout as sleep } from 'node:timers/promises'
import { createBackgroundWork } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts'
import { createLeaseStore, deletePastLeases } from './lease-store.ts'

/** Clock and interval of limits. Tests inject their own. */
export type LimitTime = {
  readonly monotonicNow: () => number
  /** Milliseconds added to the database's clock. */
  readonly databaseShiftMs: () => number
  readonly settleMs: number
  /** Called after each settlement, also after one that failed. */
  readonly onSettled?: (() => void) | undefined
}

export type Leases = {
  readonly keeper: LeaseKeeper
  /** Joins the other replicas and begins to settle. Call it when this replica is announced. */
  start(): Promise<void>
  /** Resolves when the other replicas count this one. At once if there are none. */
  ready(): Promise<void>
  stop(): Promise<void>
}

const intervalMs = 250
// Before an early settlement, so that one of them serves all leases that run low together.
const soonMs = 10
const cleanMs = 60_000

/** Creates the leases of this replica with the timers that settle them. */
export function createLeases({
  database,
  id,
  log,
  time,
}: {
  readonly database: Database
  readonly id: string
  readonly log: Logger
  readonly time?: LimitTime | undefined
}): Leases {
  const { databaseShiftMs: shiftMs, monotonicNow = () => performance.now() } = time ?? {}
  let early: NodeJS.Timeout | undefined
  let timers: NodeJS.Timeout[] = []
  let joinedAtMs = Number.NEGATIVE_INFINITY
  const keeper = createLeaseKeeper({
    id,
    store: createLeaseStore(database, shiftMs),
    monotonicNow,
    isAlone: database.engine === 'pglite',
    settleSoon: () => {
      // While the database is away, the interval is often enough.
      if (timers.length > 0 && !settling.isFailing) early ??= setTimeout(settle, soonMs)
    },
    onRestored: () => log.warn('database was restored; limits continue from the counts of each replica'),
  })
  const settling = createBackgroundWork(keeper.settle, (error) =>
    log.warn({ err: error }, 'limits not in sync; each replica uses its share'),
  )
  const settle = () => {
    early = undefined
    void settling.run().finally(() => time?.onSettled?.())
  }
  const clean = () => deletePastLeases(database, shiftMs?.()).catch(() => undefined)
  return {
    keeper,
    start: async () => {
      joinedAtMs = await keeper.join()
      timers = [setInterval(settle, time?.settleMs ?? intervalMs).unref(), setInterval(clean, cleanMs).unref()]
    },
    ready: async () => {
      const waitMs = joinedAtMs - monotonicNow()
      // A timer may fire up to a millisecond early.
      if (waitMs > 0) await sleep(Math.ceil(waitMs) + 1)
      // However long the start took, the interval may not have read since then.
      if (keeper.hasJoined()) return
      await keeper.settle().catch((error) => log.warn({ err: error }, 'limits not in sync; requests may be rejected'))
    },
    stop: async () => {
      for (const timer of timers.splice(0)) clearInterval(timer)
      clearTimeout(early)
      const left = keeper.leave().catch((error) => log.warn({ err: error }, 'returning unspent requests failed'))
      await Promise.all([settling.stop(), left])
    },
  }
}
