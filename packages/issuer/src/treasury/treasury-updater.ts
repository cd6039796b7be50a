import { createLogThrottle, toSeconds } from '@tallystick/base'
import type { Period } from '@tallystick/core'
import { findLastTreasuryCurve } from '../curve/curve-store.ts'
import type { IssuerHost } from '../issuer-host.ts'
import type { IssuerSettings, TreasurySettings } from '../settings.ts'
import { compareWithSofr, readSofr } from './check-plausibility.ts'
import { formatTerms } from './choose-row.ts'
import { TreasuryFeedError } from './feed-error.ts'
import { type FetchedCurve, fetchTreasuryCurve } from './fetch-curve.ts'
import { storeTreasuryCurve } from './store-treasury-curve.ts'
import { createTreasuryMetrics, type FeedStatus, type FetchOutcome } from './treasury-metrics.ts'

export type TreasuryUpdaterOptions = {
  readonly host: Pick<IssuerHost, 'database' | 'time' | 'metrics' | 'log'>
  readonly settings: Pick<IssuerSettings, 'chains' | 'tenors'>
  readonly curve: TreasurySettings
  /** Returns why the current period is uncertain. No curve is stored then. */
  readonly findUncertainty: () => Promise<string | undefined>
}

export type TreasuryUpdater = ReturnType<typeof createTreasuryUpdater>

/** Creates the updater. `sourceDate` is the date of the newest stored rates. */
export function createTreasuryUpdater(
  options: TreasuryUpdaterOptions,
  { signal, sourceDate }: { readonly signal: AbortSignal; readonly sourceDate: string | undefined },
) {
  const { time, metrics: registry, log } = options.host
  let status: FeedStatus = { sourceDate, vanishedBills: [], problem: undefined, uncompared: undefined }
  const isCompared = options.curve.plausibility !== undefined
  const metrics = createTreasuryMetrics({ metrics: registry, time, status: () => status, isCompared })
  const warnOnce = createWarnOnce(log)
  let isDisputed = false

  const fetchAndStore = async (period: Period): Promise<FetchOutcome> => {
    const { fetched, uncompared, nowSeconds } = await fetchCurve(options, { period, signal })
    const { sourceDate } = fetched.provenance
    if (uncompared && !signal.aborted) warnOnce(uncompared, { sourceDate })
    status = { ...status, uncompared }
    warnAboutBills(fetched, warnOnce)
    await storeCurves(options, { curve: fetched, nowSeconds })
    status = { sourceDate, vanishedBills: fetched.vanishedBills, problem: undefined, uncompared }
    const outcome = fetched.isNewest ? 'newest' : 'behind'
    metrics.fetched(outcome)
    return outcome
  }
  const fail = (error: unknown): FetchOutcome => {
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
    if (known) warnOnce(error.message, { failure: outcome })
    else log.error({ err: error }, 'storing the Treasury curve failed; retrying')
    return outcome
  }
  return {
    /** Fetches the curve for a period and stores it if it is new. Never throws. */
    update: (period: Period) => fetchAndStore(period).catch(fail),
    /** Clears a clock problem once the clocks agree. The period may be signed by then, so that no update would do it. */
    clearDispute: async () => {
      if (!isDisputed || (await options.findUncertainty()) !== undefined) return
      isDisputed = false
      status = { ...status, problem: undefined }
    },
    status: () => status,
  }
}

/** Fetches a curve and compares it with SOFR. Throws `TreasuryFeedError`. */
async function fetchCurve(
  { findUncertainty, host, settings, curve }: TreasuryUpdaterOptions,
  { period, signal }: { readonly period: Period; readonly signal: AbortSignal },
) {
  const uncertainty = await findUncertainty()
  if (uncertainty !== undefined) {
    throw new TreasuryFeedError({
      failure: 'clock_disputed',
      message: `No rates are fetched or stored: ${uncertainty} Correct the wrong clock. \`tallystick doctor\` compares all clocks.`,
    })
  }
  const { tenors } = settings
  const nowSeconds = toSeconds(host.time.now())
  const fetchNewest = async () => {
    const last = await findLastTreasuryCurve(host.database)
    const knownBills = last?.provenance?.bills.map(({ weeks }) => weeks) ?? []
    return fetchTreasuryCurve({ config: curve, tenors, period, nowSeconds, knownBills, signal })
  }
  const [fetched, sofr] = await Promise.all([fetchNewest(), readSofr(curve, signal)])
  return { fetched, nowSeconds, uncompared: compareWithSofr(fetched, { sofr, plausibility: curve.plausibility }) }
}

async function storeCurves(
  { host: { database, log }, settings, curve: { bills: configured } }: TreasuryUpdaterOptions,
  { curve, nowSeconds }: { readonly curve: FetchedCurve; readonly nowSeconds: bigint },
) {
  const { sourceDate, bills } = curve.provenance
  for (const { id: chainId, tenors } of settings.chains) {
    const stored = await storeTreasuryCurve(database, { curve, chainId, tenors, nowSeconds, bills: configured })
    if (!stored) continue
    const { id, points, effectiveFrom } = stored
    const fields = { chain: chainId, curve: id.toString(), sourceDate, bills: bills.length, points }
    log.info({ ...fields, effectiveFrom: Number(effectiveFrom) }, 'Treasury curve stored')
  }
}

type WarnOnce = (message: string, fields: object) => void

function warnAboutBills({ provenance, vanishedBills, newBills }: FetchedCurve, warnOnce: WarnOnce): void {
  if (vanishedBills.length > 0) {
    const message = `the Treasury feed no longer has ${formatTerms(vanishedBills)}; if this is permanent, list the other bills in curve.bills`
    warnOnce(message, { vanishedBills, sourceDate: provenance.sourceDate })
  }
  if (newBills.length > 0) warnOnce(`the Treasury feed has ${formatTerms(newBills)}, which are not used`, { newBills })
}

/** Logs each warning once, until 16 others have been logged. A fetch repeats the same warning every minute. */
function createWarnOnce(log: IssuerHost['log']): WarnOnce {
  const throttle = createLogThrottle({ everyMs: Number.POSITIVE_INFINITY, kindsMax: 16 })
  return (message, fields) => {
    if (throttle(message)) log.warn(fields, message)
  }
}
