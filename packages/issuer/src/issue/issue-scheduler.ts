import { repeat, toSeconds } from '@tallystick/base'
import { type Period, periodAfter, periodAt } from '@tallystick/core'
import { curvesChannel } from '../curve/curve-store.ts'
import type { IssuerHost } from '../issuer-host.ts'
import { JournalError } from '../journal/journal-file.ts'
import type { NoteMetrics } from '../note-metrics.ts'
import type { PublishedNotes } from '../published-notes.ts'
import { type Refusal, recordRefusal } from '../refusal.ts'
import type { IssuerChain } from '../settings.ts'
import { SignerError } from '../signers/signer.ts'
import { type IssueContext, issueNotes } from './issue-notes.ts'
import { createRetryGate } from './retry-gate.ts'

export type IssueScheduler = {
  /**
   * Issues the notes of the current period and, within the sign-ahead, of the next one, for one chain or for all. Each
   * chain is issued on its own, so that one that hangs or fails does not delay the others. Never throws.
   */
  catchUp(chainId?: number): Promise<void>
  stop(): Promise<void>
}

export type IssueSchedulerOptions = Pick<IssuerHost, 'log'> & {
  readonly context: IssueContext
  readonly published: PublishedNotes
  readonly metrics: NoteMetrics
}

const tickMs = 1_000

/**
 * Starts a loop that issues and publishes the notes of the current and the next period. It reads the clock every second
 * instead of setting a timer for the boundary, so it also works after the machine slept or its clock was set.
 */
export async function startIssueScheduler(options: IssueSchedulerOptions): Promise<IssueScheduler> {
  const { context, published } = options
  const { time, preflight } = context
  const issue = createIssue(options)
  const gate = createRetryGate(time, 'issuing retry')
  let isStopped = false
  let lastStart: bigint | undefined

  const ensure = async (chain: IssuerChain, period: Period) => {
    if (isStopped || published.find(chain.id, period.start)) return
    await gate.run(`${chain.id}:${period.start}`, () => issue(chain, period))
  }
  const catchUpChain = async (chain: IssuerChain, nowSeconds: bigint) => {
    const current = periodAt(nowSeconds)
    const next = periodAfter(current)
    await ensure(chain, current)
    if (isNextDue(context, { current, nowSeconds })) await ensure(chain, next)
    const sets = [current, next].flatMap(({ start }) => published.find(chain.id, start) ?? [])
    // Not awaited: the notes are published already, and a refusal raises an alarm.
    if (!isStopped) void preflight.watch(sets)
  }
  const catchUp = async (chainId?: number) => {
    if (isStopped) return
    const nowSeconds = toSeconds(time.now())
    const { start } = periodAt(nowSeconds)
    // Retry at the boundary without waiting for the backoff.
    if (start !== lastStart) gate.reset()
    lastStart = start
    const requested = context.settings.chains.filter(({ id }) => chainId === undefined || chainId === id)
    await Promise.all(requested.map((chain) => catchUpChain(chain, nowSeconds)))
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
      isStopped = true
      tick.stop()
      await stopListening()
      await gate.settle()
    },
  }
}

/** Returns whether the next period is within the sign-ahead by both the local and the database's clock. */
function isNextDue(
  { clocks, settings }: IssueContext,
  { current, nowSeconds }: { readonly current: Period; readonly nowSeconds: bigint },
): boolean {
  const dueSeconds = current.end - BigInt(settings.rails.signAheadSeconds)
  const { databaseSeconds = nowSeconds } = clocks.status(Number(nowSeconds) * 1000)
  return nowSeconds >= dueSeconds && databaseSeconds >= dueSeconds
}

/** Creates a function that issues and publishes a set. It resolves to whether that succeeded, and never throws. */
function createIssue(options: IssueSchedulerOptions): (chain: IssuerChain, period: Period) => Promise<boolean> {
  const { metrics, log } = options
  const report = createRefusalReporter(options)
  return async (chain, period) => {
    try {
      const refusal = await tryToIssue(options, { chain, period })
      if (refusal) await report(chain, period, refusal)
      return refusal === undefined
    } catch (error) {
      if (error instanceof SignerError) metrics.signerFailed(error.failure)
      const refusal = findReason(error)
      if (refusal) await report(chain, period, refusal).catch(() => undefined)
      else log.error({ ...describe(chain, period), err: error }, 'issuing notes failed; retrying')
      return false
    }
  }
}

/** Returns why the set was not published, or undefined if it was. */
async function tryToIssue(
  { context, published, log }: IssueSchedulerOptions,
  { chain, period }: { readonly chain: IssuerChain; readonly period: Period },
): Promise<Refusal | undefined> {
  const { set, refusal } = await issueNotes(context, { chain, period })
  if (!set) return refusal
  const configured = context.signers.get(chain.id)?.address
  const isEarlierSigner = set.signer !== configured
  if (isEarlierSigner && context.settings.rails.earlierSigner === 'withhold') return withheld(set.signer)
  const about = describe(chain, period)
  published.publish(set)
  log.info({ ...about, notes: set.notes.length, signer: set.signer }, 'notes published')
  if (isEarlierSigner) log.warn({ ...about, configured }, 'notes were signed by an earlier signer')
  return undefined
}

function describe(chain: IssuerChain, period: Period) {
  return { chain: chain.id, periodStart: Number(period.start) }
}

function withheld(signer: string): Refusal {
  return {
    reason: 'earlier_signer',
    message:
      `the notes of this period were signed by ${signer}, not by the configured signer, and rails.earlierSigner is ` +
      '"withhold". A period’s notes are never signed again. The configured signer signs the next unsigned period.',
  }
}

/** Returns the reason that operators see for an error, or undefined if the error is not about the notes. */
function findReason(error: unknown): Refusal | undefined {
  if (error instanceof SignerError) return { reason: 'signer_failed', message: error.message }
  return error instanceof JournalError ? { reason: error.reason, message: error.message } : undefined
}

/** Reports a refusal in the log, the metrics and the database. Skips a repetition of the same message. */
function createRefusalReporter({ context, metrics, log }: IssueSchedulerOptions) {
  const { settings, database, time } = context
  const reported = new Map<string, string>()
  return async (chain: IssuerChain, period: Period, refusal: Refusal): Promise<void> => {
    const { reason, message } = refusal
    const key = `${chain.id}:${period.start}`
    if (reported.get(key) === message) return
    metrics.refused(chain.id, reason)
    const what = reason === 'earlier_signer' ? 'withheld' : 'not signed'
    log.error({ ...describe(chain, period), reason }, `notes ${what}: ${message}`)
    const nowSeconds = toSeconds(time.now())
    await recordRefusal(database, { chainId: chain.id, periodStart: period.start, refusal, nowSeconds })
    reported.delete(key)
    reported.set(key, message)
    // Keeps this period and the next of each chain.
    for (const old of [...reported.keys()].slice(0, -2 * settings.chains.length)) reported.delete(old)
  }
}
