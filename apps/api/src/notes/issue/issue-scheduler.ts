import { type Period, periodAfter, periodAt } from '@tallystick/core'
import type { Logger } from 'pino'
import { toSeconds } from '../../clock.ts'
import type { ChainConfig, Config } from '../../config.ts'
import { curvesChannel } from '../curve/curve-store.ts'
import { JournalError } from '../journal/journal-file.ts'
import type { NoteMetrics } from '../note-metrics.ts'
import type { NoteSet } from '../note-set.ts'
import { recordRefusal } from '../note-store.ts'
import type { PublishedNotes } from '../published-notes.ts'
import { SignerError } from '../signers/signer.ts'
import { type IssueContext, issueNotes } from './issue-notes.ts'
import type { Preflight } from './preflight.ts'
import type { Refusal } from './rails.ts'
import { createRetryGate } from './retry-gate.ts'

export type IssueScheduler = {
  /** Makes sure of the notes for now and, when it is near, for the next period. Resolves when it has tried. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}

export type IssueSchedulerOptions = {
  readonly context: IssueContext
  readonly chains: readonly ChainConfig[]
  /** Whether notes that another signer than the configured one made are handed out. */
  readonly earlierSigner: Config['rails']['earlierSigner']
  readonly published: PublishedNotes
  readonly preflight: Pick<Preflight, 'watch'>
  readonly metrics: NoteMetrics
  readonly log: Logger
  /** Milliseconds that never run backwards: waiting times are measured with it. */
  readonly monotonicNow: () => number
}

const tickMs = 1_000

/**
 * Keeps the notes of the current and the coming period in memory. It looks at the clock every second instead of setting
 * a timer for the boundary, so that a machine that slept or whose clock was set is caught up with at the next look.
 */
export async function startIssueScheduler(parts: IssueSchedulerOptions): Promise<IssueScheduler> {
  const { context, chains, published } = parts
  const gate = createRetryGate(parts.monotonicNow)
  const refuse = createRefuse(parts)
  let stopped = false
  let knownStart: bigint | undefined

  const ensure = async (chain: ChainConfig, period: Period) => {
    if (published.find(chain.id, period.start)) return
    await gate.run(`${chain.id}:${period.start}`, () => tryToIssue(parts, { chain, period, refuse }))
  }
  const catchUp = async () => {
    if (stopped) return
    const nowSeconds = toSeconds(context.clock.now())
    const current = periodAt(nowSeconds)
    // What failed ahead of the boundary is tried at it, not when its next try was due.
    if (knownStart !== current.start) gate.reset()
    knownStart = current.start
    await Promise.all(chains.map((chain) => ensure(chain, current)))
    if (!stopped && judgedSeconds(context, nowSeconds) >= current.end - BigInt(context.signAheadSeconds)) {
      await Promise.all(chains.map((chain) => ensure(chain, periodAfter(current))))
    }
    // Nobody waits for it: the notes are there, and an alarm is raised when it is known.
    if (!stopped) void parts.preflight.watch(findSets(parts, current))
  }
  const stopListening = await context.database.listen(curvesChannel, () => {
    gate.reset()
    void catchUp()
  })
  await catchUp()
  const tick = setInterval(() => void catchUp(), tickMs)
  tick.unref()
  return {
    catchUp,
    stop: async () => {
      stopped = true
      clearInterval(tick)
      await stopListening()
      await gate.settle()
    },
  }
}

/** The earlier of the local and the database's time: signing ahead waits for both. */
function judgedSeconds({ clocks }: IssueContext, nowSeconds: bigint): bigint {
  const { databaseSeconds = nowSeconds } = clocks.status(Number(nowSeconds) * 1000)
  return databaseSeconds < nowSeconds ? databaseSeconds : nowSeconds
}

/** What is in memory of a period and the one after it. */
function findSets({ chains, published }: IssueSchedulerOptions, current: Period): NoteSet[] {
  return chains.flatMap(({ id }) =>
    [current, periodAfter(current)].flatMap(({ start }) => published.find(id, start) ?? []),
  )
}

type Refuse = (chain: ChainConfig, period: Period, refusal: Refusal) => Promise<void>

/** Resolves to whether the notes are in memory; never throws. */
async function tryToIssue(
  { context, published, metrics, log, earlierSigner }: IssueSchedulerOptions,
  { chain, period, refuse }: { readonly chain: ChainConfig; readonly period: Period; readonly refuse: Refuse },
): Promise<boolean> {
  const about = { chain: chain.id, periodStart: Number(period.start) }
  try {
    const { set, refusal } = await issueNotes(context, { chain, period })
    if (!set) {
      await refuse(chain, period, refusal)
      return false
    }
    const isEarlier = set.signer !== context.signer.address
    if (isEarlier && earlierSigner === 'withhold') {
      await refuse(chain, period, withheld(set.signer))
      return false
    }
    published.publish(set)
    log.info({ ...about, notes: set.notes.length, signer: set.signer }, 'notes are ready')
    if (isEarlier) {
      log.warn({ ...about, configured: context.signer.address }, 'these notes were signed by an earlier signer')
    }
    return true
  } catch (error) {
    if (error instanceof SignerError) {
      metrics.signerFailed(error.failure)
      await refuse(chain, period, { reason: 'signer_failed', message: error.message }).catch(() => undefined)
    } else if (error instanceof JournalError) {
      await refuse(chain, period, { reason: error.reason, message: error.message }).catch(() => undefined)
    } else {
      log.error({ ...about, err: error }, 'notes cannot be issued; trying again')
    }
    return false
  }
}

function withheld(signer: string): Refusal {
  return {
    reason: 'earlier_signer',
    message:
      `the notes of this period were signed by ${signer}, which is not the configured signer, and rails.earlierSigner ` +
      'is "withhold". There is one set per period, ever: the first that is not signed yet will be the new signer’s.',
  }
}

/** Says a refusal once where people look: log, metric, database. A repetition of the same one is not news. */
function createRefuse({ context, chains, metrics, log }: IssueSchedulerOptions): Refuse {
  const said = new Map<string, string>()
  return async (chain, period, refusal) => {
    const key = `${chain.id}:${period.start}`
    if (said.get(key) === refusal.message) return
    metrics.refused(chain.id, refusal.reason)
    const about = { chain: chain.id, periodStart: Number(period.start), reason: refusal.reason }
    log.error(about, `notes ${refusal.reason === 'earlier_signer' ? 'withheld' : 'not signed'}: ${refusal.message}`)
    const nowSeconds = toSeconds(context.clock.now())
    await recordRefusal(context.database, { chainId: chain.id, periodStart: period.start, refusal, nowSeconds })
    said.delete(key)
    said.set(key, refusal.message)
    // This period and the next, of each chain: of what lies further back nothing is said any more.
    for (const old of [...said.keys()].slice(0, -2 * chains.length)) said.delete(old)
  }
}
