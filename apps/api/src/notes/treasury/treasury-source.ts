import { type Period, periodAfter, periodAt } from '@tallystick/core'
import { createLogThrottle } from '@tallystick/core/log/log-throttle'
import { backoffMs } from '@tallystick/core/retry/backoff-ms'
import type { Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { type Clock, toSeconds } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Metrics } from '../../metrics.ts'
import type { CurveSource } from '../curve/curve-source.ts'
import { findLastTreasuryCurve } from '../curve/curve-store.ts'
import { findNoteSet } from '../note-store.ts'
import type { PublishedNotes } from '../published-notes.ts'
import { checkPlausibility } from './check-plausibility.ts'
import { formatTerms } from './choose-row.ts'
import { TreasuryFeedError } from './feed-error.ts'
import { type FetchedCurve, fetchTreasuryCurve, type TreasuryConfig } from './fetch-curve.ts'
import { fetchSofr, type Sofr } from './fetch-sofr.ts'
import { storeTreasuryCurve } from './store-treasury-curve.ts'
import { createTreasuryMetrics, type FeedStatus, type FetchOutcome } from './treasury-metrics.ts'

export type TreasurySourceOptions = {
  readonly database: Database
  readonly clock: Clock
  readonly config: Pick<Config, 'chains' | 'tenors' | 'rails'> & { readonly curve: TreasuryConfig }
  readonly published: PublishedNotes
  readonly metrics: Metrics
  readonly log: Logger
  /** Milliseconds that never run backwards: waiting times are measured with it. */
  readonly monotonicNow: () => number
  /** Interval at which the clock is read; 1 s by default. */
  readonly tickMs?: number | undefined
  /** Why it is not certain which period it is, if so: then nothing is stored. */
  readonly findUncertainty: () => Promise<string | undefined>
}

/** The tries made for one period. */
type Tries = {
  failures: number
  notBeforeMs: number
  first: Promise<void> | undefined
  running: Promise<void> | undefined
}

const tickMsDefault = 1_000
// How long before the notes of a period are signed its rates are first fetched: time to try again, and for a late row.
const fetchAheadSeconds = 600
// While a period is unsigned its rates are looked at again, in case the Treasury corrects them or is late with them.
const againMs = 300_000
const behindMs = 60_000
const failedBackoff = { minMs: 1_000, maxMs: 60_000 }

/**
 * Keeps the curve as new as the Treasury's rates: fetches ahead of each boundary, again and again until it has the newest
 * row or the period is signed. Like the keeper of notes it looks at the clock every second rather than wait for a moment.
 */
export async function startTreasurySource(parts: TreasurySourceOptions): Promise<CurveSource> {
  const { database, clock, config, published, tickMs = tickMsDefault } = parts
  const stopping = new AbortController()
  const tries = new Map<bigint, Tries>()
  const attempt = createAttempt(parts, {
    signal: stopping.signal,
    sourceDate: (await findLastTreasuryCurve(database))?.provenance?.sourceDate,
  })

  const start = (period: Period): Promise<void> => {
    const state = tries.get(period.start) ?? { failures: 0, notBeforeMs: 0, first: undefined, running: undefined }
    tries.set(period.start, state)
    state.running ??= attempt.run(period).then((outcome) => {
      state.failures = outcome === 'newest' || outcome === 'behind' ? 0 : state.failures + 1
      state.notBeforeMs = parts.monotonicNow() + delayAfter(outcome, state.failures)
      state.running = undefined
    })
    state.first ??= state.running
    return state.running
  }
  const startIfDue = async (period: Period) => {
    if (config.chains.every((chain) => published.find(chain.id, period.start))) return
    const state = tries.get(period.start)
    if (state && (state.running || parts.monotonicNow() < state.notBeforeMs)) return
    if (await isSigned(parts, period)) return
    if (!stopping.signal.aborted) await start(period)
  }
  const lookAhead = async () => {
    await attempt.endDispute()
    const nowSeconds = toSeconds(clock.now())
    const current = periodAt(nowSeconds)
    for (const [periodStart, { running }] of tries) {
      if (periodStart < current.start && !running) tries.delete(periodStart)
    }
    await startIfDue(current)
    const aheadSeconds = BigInt(config.rails.signAheadSeconds + fetchAheadSeconds)
    if (nowSeconds >= current.end - aheadSeconds) await startIfDue(periodAfter(current))
  }
  const tick = setInterval(() => {
    lookAhead().catch((error) => parts.log.error({ err: error }, 'cannot look after the Treasury curve; trying again'))
  }, tickMs)
  tick.unref()
  return {
    prepare: (period) => tries.get(period.start)?.first ?? start(period),
    problem: () => attempt.status().problem,
    stop: async () => {
      clearInterval(tick)
      stopping.abort()
      await Promise.all([...tries.values()].map(({ running }) => running))
    },
  }
}

function delayAfter(outcome: FetchOutcome, failures: number): number {
  if (outcome === 'newest') return againMs
  if (outcome === 'behind') return behindMs
  return backoffMs(failures - 1, failedBackoff)
}

async function isSigned({ database, config }: TreasurySourceOptions, period: Period): Promise<boolean> {
  const sets = await Promise.all(
    config.chains.map(({ id }) => findNoteSet(database, { chainId: id, periodStart: period.start })),
  )
  return sets.every((set) => set !== undefined)
}

/** One fetch from the feed to the stored curve, and what is known of the feed by it. `run` never throws. */
function createAttempt(
  parts: TreasurySourceOptions,
  { signal, sourceDate }: { readonly signal: AbortSignal; readonly sourceDate: string | undefined },
) {
  const { clock, log } = parts
  const { bills: namedBills, plausibility } = parts.config.curve
  let status: FeedStatus = { sourceDate, vanishedBills: [], problem: undefined, uncompared: undefined }
  const isCompared = plausibility !== undefined
  const metrics = createTreasuryMetrics({ metrics: parts.metrics, clock, status: () => status, isCompared })
  const sayOnce = createSayOnce(log)
  let isDisputed = false

  const fetchAndStore = async (period: Period): Promise<FetchOutcome> => {
    const doubt = await parts.findUncertainty()
    if (doubt !== undefined) throw disputed(doubt)
    const nowSeconds = toSeconds(clock.now())
    const [fetched, sofr] = await Promise.all([
      fetchFor(parts, { period, nowSeconds, signal }),
      readSofr(parts.config.curve, signal),
    ])
    const { sourceDate, bills } = fetched.provenance
    const uncompared = compare(fetched, { sofr, plausibility })
    if (uncompared && !signal.aborted) sayOnce(uncompared, { sourceDate })
    status = { ...status, uncompared }
    warnOfColumns(fetched, sayOnce)
    for (const { id } of parts.config.chains) {
      const wanted = { curve: fetched, chainId: id, nowSeconds, bills: namedBills }
      const stored = await storeTreasuryCurve(parts.database, wanted)
      if (!stored) continue
      const about = { chain: id, curve: stored.id.toString(), sourceDate, bills: bills.length, points: stored.points }
      log.info({ ...about, effectiveFrom: Number(stored.effectiveFrom) }, 'a curve from the Treasury is stored')
    }
    status = { sourceDate, vanishedBills: fetched.vanishedBills, problem: undefined, uncompared }
    return fetched.isNewest ? 'newest' : 'behind'
  }
  const run = async (period: Period): Promise<FetchOutcome> => {
    try {
      const outcome = await fetchAndStore(period)
      metrics.fetched(outcome)
      return outcome
    } catch (error) {
      const known = error instanceof TreasuryFeedError
      const outcome = known ? error.failure : 'not_stored'
      isDisputed = outcome === 'clock_disputed'
      if (signal.aborted) return outcome
      status = {
        ...status,
        vanishedBills: (known && error.vanishedBills) || status.vanishedBills,
        problem: known ? error.message : 'The Treasury curve could not be stored.',
      }
      metrics.fetched(outcome)
      if (known) sayOnce(error.message, { failure: outcome })
      else log.error({ err: error }, 'a curve from the Treasury cannot be stored; trying again')
      return outcome
    }
  }
  // The period may be signed by then, so that no fetch would clear the problem.
  const endDispute = async () => {
    if (!isDisputed || (await parts.findUncertainty()) !== undefined) return
    isDisputed = false
    status = { ...status, problem: undefined }
  }
  return { run, endDispute, status: () => status }
}

function disputed(doubt: string): TreasuryFeedError {
  const message = `No rates are fetched or stored: ${doubt} Correct the wrong clock: \`tallystick doctor\` compares them all.`
  return new TreasuryFeedError({ failure: 'clock_disputed', message })
}

async function fetchFor(
  { database, config }: TreasurySourceOptions,
  {
    period,
    nowSeconds,
    signal,
  }: { readonly period: Period; readonly nowSeconds: bigint; readonly signal: AbortSignal },
): Promise<FetchedCurve> {
  const last = await findLastTreasuryCurve(database)
  const knownBills = last?.provenance?.bills.map(({ weeks }) => weeks) ?? []
  const { curve, tenors } = config
  return fetchTreasuryCurve({ config: curve, tenors, period, nowSeconds, knownBills, signal })
}

/** SOFR, or why it cannot be had; undefined where it is not configured. Never throws. */
async function readSofr(
  { plausibility, timeoutMs }: TreasuryConfig,
  signal: AbortSignal,
): Promise<Sofr | { readonly problem: string } | undefined> {
  if (!plausibility) return undefined
  return fetchSofr(plausibility.url, { timeoutMs, signal }).catch((error: Error) => ({
    problem: `${error.message} The Treasury’s rates are not compared with it.`,
  }))
}

/** Throws if the second source contradicts a curve. Returns why it was not compared, if it was to be and was not. */
function compare(
  curve: FetchedCurve,
  {
    sofr,
    plausibility,
  }: {
    readonly sofr: Awaited<ReturnType<typeof readSofr>>
    readonly plausibility: TreasuryConfig['plausibility']
  },
): string | undefined {
  if (!sofr || !plausibility) return undefined
  return 'problem' in sofr ? sofr.problem : checkPlausibility(curve, { sofr, config: plausibility })
}

type SayOnce = (message: string, about: object) => void

function warnOfColumns({ provenance, vanishedBills, newBills }: FetchedCurve, sayOnce: SayOnce): void {
  if (vanishedBills.length > 0) {
    const message = `the Treasury feed no longer has ${formatTerms(vanishedBills)}; if that is for good, name the others in curve.bills`
    sayOnce(message, { vanishedBills, sourceDate: provenance.sourceDate })
  }
  if (newBills.length > 0) sayOnce(`the Treasury feed has ${formatTerms(newBills)}, not used here`, { newBills })
}

/** Logs each warning once, until 16 others have been logged. A fetch repeats the same warning every minute. */
function createSayOnce(log: Logger): SayOnce {
  const throttle = createLogThrottle({ monotonicNow: () => 0, everyMs: Number.POSITIVE_INFINITY, kindsMax: 16 })
  return (message, about) => {
    if (throttle(message)) log.warn(about, message)
  }
}
