import { repeat, type Timer, toSeconds } from '@tallystick/base'
import { backoffMs } from '@tallystick/base/pure'
import { type Period, periodAfter, periodAt } from '@tallystick/core'
import type { CurveSource } from '../curve/curve-source.ts'
import { findLastTreasuryCurve } from '../curve/curve-store.ts'
import { findNoteSet } from '../note-store.ts'
import type { PublishedNotes } from '../published-notes.ts'
import type { IssuerSettings } from '../settings.ts'
import type { FetchOutcome } from './treasury-metrics.ts'
import { createTreasuryUpdater, type TreasuryUpdater, type TreasuryUpdaterOptions } from './treasury-updater.ts'

export type TreasurySourceOptions = TreasuryUpdaterOptions & {
  readonly settings: Pick<IssuerSettings, 'rails'>
  readonly published: PublishedNotes
}

const tickMs = 1_000
// Rates are first fetched this long before the sign-ahead, which leaves time for retries and for late rates.
const fetchAheadSeconds = 600
// While a period is unsigned, its rates are fetched again, because the Treasury may correct them.
const refetchMs = 300_000
const behindMs = 60_000
const failedBackoff = { minMs: 1_000, maxMs: 60_000 }

/**
 * Starts a loop that fetches the Treasury's rates before each boundary, until it has the newest ones or the period is
 * signed. It reads the clock every second, like the issue scheduler.
 */
export async function startTreasurySource(options: TreasurySourceOptions): Promise<CurveSource> {
  const { host, settings } = options
  const { database, time, log } = host
  const stopping = new AbortController()
  const { signal } = stopping
  const sourceDate = (await findLastTreasuryCurve(database))?.provenance?.sourceDate
  const updater = createTreasuryUpdater(options, { signal, sourceDate })
  const schedule = createUpdateSchedule(options, { updater, signal })
  const runDue = async () => {
    await updater.clearDispute()
    const nowSeconds = toSeconds(time.now())
    const current = periodAt(nowSeconds)
    schedule.dropBefore(current.start)
    await schedule.runIfDue(current)
    const aheadSeconds = BigInt(settings.rails.signAheadSeconds + fetchAheadSeconds)
    if (nowSeconds >= current.end - aheadSeconds) await schedule.runIfDue(periodAfter(current))
  }
  const tick = repeat(time, { name: 'Treasury rates', ms: tickMs }, () => {
    runDue().catch((error) => log.error({ err: error }, 'updating the Treasury curve failed; retrying'))
  })
  return {
    prepare: schedule.firstRun,
    problem: () => updater.status().problem,
    stop: async () => {
      tick.stop()
      stopping.abort()
      await schedule.settle()
    },
  }
}

/** The updates for one period. */
type PeriodUpdates = {
  failures: number
  /** Runs until the next update is due. */
  wait: Timer | undefined
  first: Promise<void> | undefined
  running: Promise<void> | undefined
}

/** Runs one update at a time for each period, and chooses when the next one is due. */
function createUpdateSchedule(
  options: TreasurySourceOptions,
  { updater, signal }: { readonly updater: TreasuryUpdater; readonly signal: AbortSignal },
) {
  const { host, settings, published } = options
  const updates = new Map<bigint, PeriodUpdates>()
  const run = (period: Period): Promise<void> => {
    const state = updates.get(period.start) ?? { failures: 0, wait: undefined, first: undefined, running: undefined }
    updates.set(period.start, state)
    state.running ??= updater.update(period).then((outcome) => {
      state.failures = outcome === 'newest' || outcome === 'behind' ? 0 : state.failures + 1
      state.wait?.stop()
      state.wait = host.time.setTimer({ name: 'Treasury retry', ms: delayAfter(outcome, state.failures) }, () => {
        state.wait = undefined
      })
      state.running = undefined
    })
    state.first ??= state.running
    return state.running
  }
  const isDue = ({ start }: Period): boolean => {
    const state = updates.get(start)
    return !state || (!state.running && !state.wait)
  }
  return {
    /** Resolves after the first update for a period. */
    firstRun: (period: Period) => updates.get(period.start)?.first ?? run(period),
    runIfDue: async (period: Period) => {
      if (settings.chains.every((chain) => published.find(chain.id, period.start))) return
      if (!isDue(period) || (await isSigned(options, period))) return
      // The first update of a period may have run since.
      if (isDue(period) && !signal.aborted) await run(period)
    },
    dropBefore: (start: bigint) => {
      for (const [periodStart, { running }] of updates) {
        if (periodStart < start && !running) updates.delete(periodStart)
      }
    },
    settle: async () => {
      await Promise.all([...updates.values()].map(({ running }) => running))
    },
  }
}

function delayAfter(outcome: FetchOutcome, failures: number): number {
  if (outcome === 'newest') return refetchMs
  if (outcome === 'behind') return behindMs
  return backoffMs(failures - 1, failedBackoff)
}

async function isSigned({ host, settings }: TreasurySourceOptions, period: Period): Promise<boolean> {
  const sets = await Promise.all(
    settings.chains.map(({ id }) => findNoteSet(host.database, { chainId: id, periodStart: period.start })),
  )
  return sets.every((set) => set !== undefined)
}
