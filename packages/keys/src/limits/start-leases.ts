import { setTimeout as sleep } from 'node:timers/promises'
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

export type RunningLeases = {
  readonly keeper: LeaseKeeper
  /** Joins the other replicas and begins to settle. Call it when this replica is announced. */
  start(): Promise<void>
  /** Resolves when the other replicas count this one. At once if there are none. */
  ready(): Promise<void>
  stop(): Promise<void>
}

const intervalMs = 250
// Between two settlements because leases run low.
const hurryMs = 10
const cleanMs = 60_000

/** Creates the keeper of the leases with its timers. */
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
}): RunningLeases {
  const { databaseShiftMs: shiftMs, monotonicNow = () => performance.now() } = time ?? {}
  let hurrying: NodeJS.Timeout | undefined
  let isFailing = false
  let isStopped = true
  const keeper = createLeaseKeeper({
    id,
    store: createLeaseStore(database, shiftMs),
    monotonicNow,
    isAlone: database.engine === 'pglite',
    onHurry: () => {
      // While the database is away, the interval is often enough.
      if (isStopped || isFailing) return
      hurrying ??= setTimeout(settleInBackground, hurryMs)
    },
    onRestored: () => log.warn('database was restored; limits continue from the counts of each replica'),
  })
  const settleInBackground = () => {
    hurrying = undefined
    keeper
      .settle()
      .then(
        () => {
          isFailing = false
        },
        (error) => {
          if (!isFailing && !isStopped) log.warn({ err: error }, 'limits not in sync; each replica uses its share')
          isFailing = true
        },
      )
      .finally(() => time?.onSettled?.())
  }
  const clean = () => deletePastLeases(database, shiftMs?.()).catch(() => undefined)
  let timers: NodeJS.Timeout[] = []
  let joinedAtMs = Number.NEGATIVE_INFINITY
  return {
    keeper,
    start: async () => {
      joinedAtMs = await keeper.join()
      isStopped = false
      timers = [setInterval(settleInBackground, time?.settleMs ?? intervalMs), setInterval(clean, cleanMs)]
      for (const timer of timers) timer.unref()
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
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      clearTimeout(hurrying)
      await keeper.leave().catch((error) => log.warn({ err: error }, 'returning unspent requests failed'))
    },
  }
}
