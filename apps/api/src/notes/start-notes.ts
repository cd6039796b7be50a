import type { PoolReader, ReadChainTime } from '@tallystick/chain'
import { formatPeriod, periodAt } from '@tallystick/core'
import type { Check } from '../admin/readiness.ts'
import { toSeconds } from '../clock.ts'
import { maxAgeBusinessDaysDefault } from '../config-curve.ts'
import type { ReadIndexedPool } from '../data/read-indexed-pool.ts'
import type { RunningLog } from '../log/start-public-log.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ClockMonitor } from '../time/clock-monitor.ts'
import { type CurveSource, manualCurveSource } from './curve/curve-source.ts'
import { type IssueScheduler, startIssueScheduler } from './issue/issue-scheduler.ts'
import { createPreflight, type Preflight } from './issue/preflight.ts'
import { createPreflightMetrics } from './issue/preflight-metrics.ts'
import { createJournalGuard } from './journal/journal-guard.ts'
import { openSignerJournal, type SignerJournal } from './journal/signer-journal.ts'
import { type JournalChecks, startJournalChecks } from './journal/start-journal-checks.ts'
import { createNoteMetrics, type NoteMetrics } from './note-metrics.ts'
import { type KeptProtection, keepProtected } from './protection/keep-protected.ts'
import { createSignerProtection, type SignerProtection } from './protection/signer-protection.ts'
import { createPublishedNotes, type PublishedNotes, withClockCheck } from './published-notes.ts'
import { openSigners } from './signers/open-signers.ts'
import type { Signer } from './signers/signer.ts'
import { startTreasurySource } from './treasury/treasury-source.ts'
import { createReadPool, createReadPoolLimits, type ReadPool } from './watch/pool-source.ts'
import { type PoolWatch, watchPools } from './watch/watch-pools.ts'
import type { FindMaturePositions } from './watch/watch-wiring.ts'

export type NotesContext = ServiceContext & {
  /** Readers of the pools that have an RPC. */
  readonly pools: ReadonlyMap<number, PoolReader>
  readonly readIndexedPool: ReadIndexedPool
  readonly findMature: FindMaturePositions
  readonly readChainTime: ReadChainTime
  readonly time: ClockMonitor
  /** Undefined if no public log is configured. */
  readonly runningLog: RunningLog | undefined
}

export type RunningNotes = {
  readonly published: PublishedNotes
  readonly scheduler: IssueScheduler
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Signer>
  readonly poolWatch: PoolWatch
  readonly journalChecks: JournalChecks
  /** Checks the shared protection, if there is one. */
  readonly checkProtection: () => readonly Check[]
  readonly curveSource: CurveSource
}

/** Opens signers and journal, issues the notes of the current period and keeps them issued. */
export async function startNotes(context: NotesContext): Promise<RunningNotes> {
  const { config, clock, metrics, database, closers, say, time } = context
  const signers = await openSigners(config.chains)
  saySigners(context, signers)
  const journal = await openSignerJournal(config.signer.journal, { create: true, say })
  closers.push('journal of the signer', () => journal.close())
  const { protection, kept } = openProtection(context, journal)
  const chainIds = config.chains.map(({ id }) => id)
  const published = createPublishedNotes(chainIds, config.log?.origin)
  const offered = withClockCheck(published, time.agrees)
  const preflight = openPreflight(context)
  const curveSource = await openCurveSource(context, published)
  closers.push('curve source', () => curveSource.stop())
  const noteMetrics = createNoteMetrics({ metrics, clock, published: offered, chainIds })
  const readPool = createReadPool({
    readers: context.pools,
    readIndexedPool: context.readIndexedPool,
    nowSeconds: () => toSeconds(clock.now()),
    maxLagSeconds: config.data.maxLagSeconds,
  })
  const scheduler = await startScheduler(context, {
    readPool,
    signers,
    journal,
    protection,
    published,
    preflight,
    curveSource,
    noteMetrics,
  })
  // Together: the scheduler may be waiting for a fetch, which only the source can cut short.
  closers.push('issuing', () => Promise.all([curveSource.stop(), scheduler.stop()]))
  const times = context.poolWatchTimes
  const poolWatch = await watchPools({ ...context, readPool, signers, published, noteMetrics, times })
  closers.push('pool watch', () => poolWatch.stop())
  const journalChecks = await startJournalChecks(database, {
    ...{ ...context, published, journal, protection },
    ...{ noteLog: context.runningLog?.noteLog, reconcileLog: context.runningLog?.reconcile },
  })
  closers.push('journal checks', () => journalChecks.stop())
  sayNotes(context, offered)
  const checkProtection = () => kept?.checks() ?? []
  return { published: offered, scheduler, signers, poolWatch, journalChecks, checkProtection, curveSource }
}

/** Opens the shared protection, if there is one, and keeps this replica's journal in it. */
function openProtection(
  { config, clock, metrics, log, closers, schedulerTime }: NotesContext,
  journal: SignerJournal,
): { readonly protection?: SignerProtection; readonly kept?: KeptProtection } {
  if (!config.signer.protection) return {}
  const protection = createSignerProtection(config.signer.protection.reveal())
  closers.push('signer protection', () => protection.close())
  const intervalMs = schedulerTime && 10 * schedulerTime.tickMs
  const kept = keepProtected({ protection, journal, chains: config.chains, clock, metrics, log, intervalMs })
  closers.push('checks of the signer protection', () => kept.stop())
  return { protection, kept }
}

function startScheduler(
  { config, database, clock, log, monotonicNow, schedulerTime, readChainTime, time, runningLog }: NotesContext,
  {
    readPool,
    signers,
    journal,
    protection,
    published,
    preflight,
    curveSource,
    noteMetrics,
  }: {
    readonly readPool: ReadPool
    readonly signers: RunningNotes['signers']
    readonly journal: SignerJournal
    readonly protection: SignerProtection | undefined
    readonly published: PublishedNotes
    readonly preflight: Preflight
    readonly curveSource: CurveSource
    readonly noteMetrics: NoteMetrics
  },
): Promise<IssueScheduler> {
  const { tenors: curveTenors, rails, chains, curve } = config
  const { maxMoveBps, signAheadSeconds, earlierSigner } = rails
  const maxAgeBusinessDays = curve.source === 'treasury' ? curve.maxAgeBusinessDays : maxAgeBusinessDaysDefault
  const issueContext = {
    ...{ database, clock, signers, readChainTime, clocks: time, curveSource, preflight },
    ...{ curveTenors, maxMoveBps, windowLimits: rails, maxAgeBusinessDays, signAheadSeconds },
    readPoolLimits: createReadPoolLimits(readPool),
    journal: createJournalGuard(database, { journal, protection }),
    noteLog: runningLog?.noteLog,
  }
  return startIssueScheduler({
    context: issueContext,
    chains,
    earlierSigner,
    published,
    preflight,
    metrics: noteMetrics,
    log,
    monotonicNow,
    ...schedulerTime,
  })
}

function openPreflight({ config, pools, ...parts }: NotesContext): Preflight {
  const mode = config.rails.preflight
  const readers = mode === 'off' ? new Map<number, PoolReader>() : pools
  const metrics = createPreflightMetrics({ ...parts, chainIds: [...readers.keys()] })
  const nextSigners = new Map(config.chains.map(({ id, signer }) => [id, signer.next]))
  return createPreflight({ ...parts, mode, readers, metrics, nextSigners })
}

async function openCurveSource(
  { config, time, ...parts }: NotesContext,
  published: PublishedNotes,
): Promise<CurveSource> {
  const { curve } = config
  if (curve.source === 'manual') return manualCurveSource
  return startTreasurySource({
    ...parts,
    ...parts.schedulerTime,
    published,
    config: { ...config, curve },
    findUncertainty: time.findUncertainty,
  })
}

function saySigners({ say, log }: NotesContext, signers: RunningNotes['signers']): void {
  const different = new Set(signers.values())
  for (const signer of different) {
    const ids = [...signers.keys()].filter((id) => signers.get(id) === signer)
    const where = different.size === 1 ? '' : ` on chain ${ids.join(', ')}`
    say(`signing as ${signer.address} (${signer.kind})${where}`)
    const { unchecked, address } = signer
    if (unchecked)
      log.warn({ address, problem: unchecked.message }, 'public key of the signer not read; using signer.address')
  }
}

function sayNotes({ config, clock, say }: NotesContext, offered: PublishedNotes): void {
  const current = offered.at(clock.now())
  const period = formatPeriod(periodAt(toSeconds(clock.now())))
  for (const { id, name } of config.chains) {
    const count = current?.sets.get(id)?.notes.length ?? 0
    if (count > 0) say(`${count} notes of ${period} on chain ${id} (${name})`)
    else say(`NO NOTES of ${period} on chain ${id} (${name}): run \`tallystick notes show\` for the reason`)
  }
}
