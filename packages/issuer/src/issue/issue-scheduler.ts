import { repeat, type Time, toSeconds } from '@tallystick/base'
import { type Period, periodAfter, periodAt } from '@tallystick/core'
import type { Logger } from 'pino'
import { curvesChannel } from '../curve/curve-store.ts'
import { JournalError } from '../journal/journal-file.ts'
import type { NoteMetrics } from '../note-metrics.ts'
import { recordRefusal } from '../note-refusals.ts'
import type { NoteSet } from '../note-set.ts'
import type { PublishedNotes } from '../published-notes.ts'
import type { Refusal } from '../refusal.ts'
import type { IssuerChain, RailSettings } from '../settings.ts'
import { SignerError } from '../signers/signer.ts'
import { earliestSeconds } from '../time/earliest-seconds.ts'
import { type IssueContext, issueNotes } from './issue-notes.ts'
import type { Preflight } from './preflight.ts'
import { createRetryGate } from './retry-gate.ts'

export type IssueScheduler = {
  /**
   * Issues the notes of the current period and, within the sign-ahead, of the next one, for one chain or for all. Each
   * chain is issued on its own, so that one that hangs or fails does not delay the others. Never throws.
   */
  catchUp(chainId?: number): Promise<void>
  stop(): Promise<void>
}

export type IssueSchedulerOptions = {
  readonly context: IssueContext
  readonly chains: readonly IssuerChain[]
  /** Whether notes of a previously configured signer are served. */
  readonly earlierSigner: RailSettings['earlierSigner']
  readonly published: PublishedNotes
  readonly preflight: Pick<Preflight, 'watch'>
  readonly metrics: NoteMetrics
  readonly log: Logger
  readonly time: Time
}

const tickMs = 1_000

/**
 * Starts a loop that issues and publishes the notes of the current and the next period. It reads the clock every second
 * instead of setting a timer for the boundary, so it also works after the machine slept or its clock was set.
 */
export async function startIssueScheduler(options: IssueSchedulerOptions): Promise<IssueScheduler> {
  const { context, chains, published, time } = options
  const gate = createRetryGate(time, 'issuing retry')
  const reportRefusal = createRefusalReporter(options)
  let stopped = false
  let periods: CurrentPeriods | undefined

  const ensure = async (chain: IssuerChain, period: Period) => {
    if (published.find(chain.id, period.start)) return
    await gate.run(`${chain.id}:${period.start}`, () => tryToIssue(options, { chain, period, reportRefusal }))
  }
  const catchUpChain = async (
    chain: IssuerChain,
    { current, next, nowSeconds }: CurrentPeriods & { readonly nowSeconds: bigint },
  ) => {
    await ensure(chain, current)
    if (
      !stopped &&
      earliestSeconds(context.clocks, Number(nowSeconds) * 1000) >= current.end - BigInt(context.signAheadSeconds)
    ) {
      await ensure(chain, next)
    }
    // Not awaited: the notes are published already, and a refusal raises an alarm.
    if (!stopped) void options.preflight.watch(findSets(published, { chain, periods: [current, next] }))
  }
  const catchUp = async (chainId?: number) => {
    if (stopped) return
    const nowSeconds = toSeconds(context.time.now())
    if (!periods || nowSeconds < periods.current.start || nowSeconds >= periods.current.end) {
      const current = periodAt(nowSeconds)
      periods = { current, next: periodAfter(current) }
      // Retry at the boundary without waiting for the backoff.
      gate.reset()
    }
    const { current, next } = periods
    const requested = chains.filter(({ id }) => chainId === undefined || chainId === id)
    await Promise.all(requested.map((chain) => catchUpChain(chain, { current, next, nowSeconds })))
  }
  const stopListening = await context.database.listen(curvesChannel, () => {
    gate.reset()
    void catchUp()
  })
  await catchUp()
  const tick = repeat(time, { name: 'issuing', ms: tickMs }, () => void catchUp())
  return {
    catchUp,
    stop: async () => {
      stopped = true
      tick.stop()
      await stopListening()
      await gate.settle()
    },
  }
}

type CurrentPeriods = { readonly current: Period; readonly next: Period }

/** Returns the published sets of a chain for some periods. */
function findSets(
  published: PublishedNotes,
  { chain, periods }: { readonly chain: IssuerChain; readonly periods: readonly Period[] },
): NoteSet[] {
  return periods.flatMap(({ start }) => published.find(chain.id, start) ?? [])
}

type ReportRefusal = (chain: IssuerChain, period: Period, refusal: Refusal) => Promise<void>

/** Issues and publishes a set. Resolves to whether it succeeded; never throws. */
async function tryToIssue(
  { context, published, metrics, log, earlierSigner }: IssueSchedulerOptions,
  {
    chain,
    period,
    reportRefusal,
  }: { readonly chain: IssuerChain; readonly period: Period; readonly reportRefusal: ReportRefusal },
): Promise<boolean> {
  const about = { chain: chain.id, periodStart: Number(period.start) }
  try {
    const { set, refusal } = await issueNotes(context, { chain, period })
    if (!set) {
      await reportRefusal(chain, period, refusal)
      return false
    }
    const configured = context.signers.get(chain.id)?.address
    const isEarlierSigner = set.signer !== configured
    if (isEarlierSigner && earlierSigner === 'withhold') {
      await reportRefusal(chain, period, withheld(set.signer))
      return false
    }
    published.publish(set)
    log.info({ ...about, notes: set.notes.length, signer: set.signer }, 'notes published')
    if (isEarlierSigner) {
      log.warn({ ...about, configured }, 'notes were signed by an earlier signer')
    }
    return true
  } catch (error) {
    if (error instanceof SignerError) {
      metrics.signerFailed(error.failure)
      await reportRefusal(chain, period, { reason: 'signer_failed', message: error.message }).catch(() => undefined)
    } else if (error instanceof JournalError) {
      await reportRefusal(chain, period, { reason: error.reason, message: error.message }).catch(() => undefined)
    } else {
      log.error({ ...about, err: error }, 'issuing notes failed; retrying')
    }
    return false
  }
}

function withheld(signer: string): Refusal {
  return {
    reason: 'earlier_signer',
    message:
      `the notes of this period were signed by ${signer}, not by the configured signer, and rails.earlierSigner is ` +
      '"withhold". A period’s notes are never signed again. The configured signer signs the next unsigned period.',
  }
}

/** Reports a refusal in the log, the metrics and the database. Skips a repetition of the same message. */
function createRefusalReporter({ context, chains, metrics, log }: IssueSchedulerOptions): ReportRefusal {
  const reported = new Map<string, string>()
  return async (chain, period, refusal) => {
    const key = `${chain.id}:${period.start}`
    if (reported.get(key) === refusal.message) return
    metrics.refused(chain.id, refusal.reason)
    const about = { chain: chain.id, periodStart: Number(period.start), reason: refusal.reason }
    log.error(about, `notes ${refusal.reason === 'earlier_signer' ? 'withheld' : 'not signed'}: ${refusal.message}`)
    const nowSeconds = toSeconds(context.time.now())
    await recordRefusal(context.database, { chainId: chain.id, periodStart: period.start, refusal, nowSeconds })
    reported.delete(key)
    reported.set(key, refusal.message)
    // Keeps this period and the next of each chain.
    for (const old of [...reported.keys()].slice(0, -2 * chains.length)) reported.delete(old)
  }
}
