import { type Clock, type Closers, type Metrics, toSeconds } from '@tallystick/base'
import type { PoolReader, ReadChainTime } from '@tallystick/chain'
import { type Finding, formatPeriod, periodAt } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { type CurveSource, manualCurveSource } from './curve/curve-source.ts'
import { type IssueScheduler, startIssueScheduler } from './issue/issue-scheduler.ts'
import { createPreflight, type Preflight } from './issue/preflight.ts'
import { createPreflightMetrics } from './issue/preflight-metrics.ts'
import type { Recorder } from './issue/recorder.ts'
import { openSignerJournal, type SignerJournal } from './journal/signer-journal.ts'
import { createNoteMetrics, type NoteMetrics } from './note-metrics.ts'
import { createJournalGuard } from './protection/journal-guard.ts'
import { type KeptProtection, keepProtected } from './protection/keep-protected.ts'
import { createSignerProtection, type SignerProtection } from './protection/signer-protection.ts'
import { createPublishedNotes, type PublishedNotes, withClockCheck } from './published-notes.ts'
import { type JournalChecks, type RecordsReport, startJournalChecks } from './reconcile/start-journal-checks.ts'
import { type CurveSettings, type IssuerSettings, maxAgeBusinessDaysDefault } from './settings.ts'
import { openSigners } from './signers/open-signers.ts'
import type { Signer } from './signers/signer.ts'
import type { ClockMonitor } from './time/clock-monitor.ts'
import { startTreasurySource } from './treasury/treasury-source.ts'
import type { ReadIndexedPool } from './watch/indexed-pool.ts'
import { createReadPool, createReadPoolLimits, type ReadPool } from './watch/pool-source.ts'
import { type PoolWatch, type PoolWatchIntervals, watchPools } from './watch/watch-pools.ts'
import type { FindMaturePositions } from './watch/watch-wiring.ts'

export type SchedulerTime = {
  /** Interval at which the schedulers read the service's clock; 1 s by default. */
  readonly tickMs: number
  /** Clock that retries are measured with; real time by default. */
  readonly monotonicNow: () => number
}

export type NotesOptions = {
  readonly settings: IssuerSettings & { readonly curve: CurveSettings }
  /** Name of the public log, which every answer tells. Undefined if there is none. */
  readonly logOrigin: string | undefined
  /** Lag of an index that is too large to trust it. */
  readonly maxLagSeconds: number
  readonly database: Database
  readonly clock: Clock
  readonly monotonicNow: () => number
  readonly schedulerTime?: SchedulerTime | undefined
  readonly poolWatchTimes?: PoolWatchIntervals | undefined
  readonly metrics: Metrics
  readonly log: Logger
  readonly say: (line: string) => void
  readonly closers: Pick<Closers, 'push'>
  /** Readers of the pools that have an RPC. */
  readonly pools: ReadonlyMap<number, PoolReader>
  readonly readIndexedPool: ReadIndexedPool
  readonly findMature: FindMaturePositions
  readonly readChainTime: ReadChainTime
  readonly time: ClockMonitor
  /** Undefined if nothing is recorded. */
  readonly recorder: Recorder | undefined
  readonly reconcileRecords: ((auditor: Auditor) => Promise<RecordsReport>) | undefined
}

export type RunningNotes = {
  readonly published: PublishedNotes
  readonly scheduler: IssueScheduler
  /** By chain id. */
  readonly signers: ReadonlyMap<number, Signer>
  readonly poolWatch: PoolWatch
  readonly journalChecks: JournalChecks
  /** Checks the shared protection, if there is one. */
  readonly checkProtection: () => readonly Finding[]
  readonly curveSource: CurveSource
}

/** Opens signers and journal, issues the notes of the current period and keeps them issued. */
export async function startNotes(options: NotesOptions): Promise<RunningNotes> {
  const { settings, database, clock, log, metrics, closers, say, time } = options
  const { chains } = settings
  const signers = await openSigners(chains)
  saySigners(options, signers)
  const journal = await openSignerJournal(settings.signer.journal, { create: true, say })
  closers.push('journal of the signer', () => journal.close())
  const { protection, kept } = openProtection(options, journal)
  const chainIds = chains.map(({ id }) => id)
  const published = createPublishedNotes(chainIds, options.logOrigin)
  const offered = withClockCheck(published, time.agrees)
  const curveSource = await openCurveSource(options, published)
  closers.push('curve source', () => curveSource.stop())
  const noteMetrics = createNoteMetrics({ metrics, clock, published: offered, chainIds })
  const readPool = createReadPool({
    readers: options.pools,
    readIndexedPool: options.readIndexedPool,
    nowSeconds: () => toSeconds(clock.now()),
    maxLagSeconds: options.maxLagSeconds,
  })
  const issuing = { readPool, signers, journal, protection, published, curveSource, noteMetrics }
  const scheduler = await startScheduler(options, issuing)
  // Together: the scheduler may be waiting for a fetch, which only the source can cut short.
  closers.push('issuing', () => Promise.all([curveSource.stop(), scheduler.stop()]))
  const poolWatch = await startPoolWatch(options, issuing)
  closers.push('pool watch', () => poolWatch.stop())
  const { recorder, reconcileRecords } = options
  const journalChecks = await startJournalChecks(database, {
    chains,
    published,
    journal,
    protection,
    recorder,
    reconcileRecords,
    clock,
    metrics,
    log,
  })
  closers.push('journal checks', () => journalChecks.stop())
  sayNotes(options, offered)
  const checkProtection = () => (kept ? [kept.check()] : [])
  return { published: offered, scheduler, signers, poolWatch, journalChecks, checkProtection, curveSource }
}

/** Opens the shared protection, if there is one, and keeps this replica's journal in it. */
function openProtection(
  { settings, clock, metrics, log, closers, schedulerTime }: NotesOptions,
  journal: SignerJournal,
): { readonly protection?: SignerProtection; readonly kept?: KeptProtection } {
  if (!settings.signer.protection) return {}
  const protection = createSignerProtection(settings.signer.protection.reveal())
  closers.push('signer protection', () => protection.close())
  const intervalMs = schedulerTime && 10 * schedulerTime.tickMs
  const kept = keepProtected({ protection, journal, chains: settings.chains, clock, metrics, log, intervalMs })
  closers.push('checks of the signer protection', () => kept.stop())
  return { protection, kept }
}

type IssuingParts = {
  readonly readPool: ReadPool
  readonly signers: RunningNotes['signers']
  readonly journal: SignerJournal
  readonly protection: SignerProtection | undefined
  readonly published: PublishedNotes
  readonly curveSource: CurveSource
  readonly noteMetrics: NoteMetrics
}

function startScheduler(options: NotesOptions, parts: IssuingParts): Promise<IssueScheduler> {
  const { settings, database, clock, log, schedulerTime } = options
  const { signers, published, curveSource } = parts
  const { rails, curve } = settings
  const preflight = openPreflight(options)
  return startIssueScheduler({
    context: {
      database,
      clock,
      signers,
      readChainTime: options.readChainTime,
      readPoolLimits: createReadPoolLimits(parts.readPool),
      clocks: options.time,
      signAheadSeconds: rails.signAheadSeconds,
      curveTenors: settings.tenors,
      maxMoveBps: rails.maxMoveBps,
      windowLimits: rails,
      preflight,
      maxAgeBusinessDays: curve.source === 'treasury' ? curve.maxAgeBusinessDays : maxAgeBusinessDaysDefault,
      curveSource,
      journal: createJournalGuard(database, { journal: parts.journal, protection: parts.protection }),
      recorder: options.recorder,
    },
    chains: settings.chains,
    earlierSigner: rails.earlierSigner,
    published,
    preflight,
    metrics: parts.noteMetrics,
    log,
    monotonicNow: schedulerTime?.monotonicNow ?? options.monotonicNow,
    tickMs: schedulerTime?.tickMs,
  })
}

function openPreflight({ settings, pools, clock, metrics, log, monotonicNow }: NotesOptions): Preflight {
  const mode = settings.rails.preflight
  const readers = mode === 'off' ? new Map<number, PoolReader>() : pools
  return createPreflight({
    mode,
    readers,
    nextSigners: new Map(settings.chains.map(({ id, signer }) => [id, signer.next])),
    clock,
    metrics: createPreflightMetrics({ metrics, clock, chainIds: [...readers.keys()] }),
    log,
    monotonicNow,
  })
}

function startPoolWatch(options: NotesOptions, { readPool, signers, published, noteMetrics }: IssuingParts) {
  const { settings, pools, findMature, database, clock, metrics, log, monotonicNow } = options
  return watchPools({
    config: settings,
    pools,
    readPool,
    findMature,
    signers,
    published,
    database,
    clock,
    noteMetrics,
    metrics,
    log,
    monotonicNow,
    times: options.poolWatchTimes,
  })
}

async function openCurveSource(options: NotesOptions, published: PublishedNotes): Promise<CurveSource> {
  const { settings, database, clock, metrics, log, schedulerTime } = options
  const { curve, chains, tenors, rails } = settings
  if (curve.source === 'manual') return manualCurveSource
  return startTreasurySource({
    config: { curve, chains, tenors, rails },
    published,
    database,
    clock,
    metrics,
    log,
    findUncertainty: options.time.findUncertainty,
    monotonicNow: schedulerTime?.monotonicNow ?? options.monotonicNow,
    tickMs: schedulerTime?.tickMs,
  })
}

function saySigners({ say, log }: NotesOptions, signers: RunningNotes['signers']): void {
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

function sayNotes({ settings, clock, say }: NotesOptions, offered: PublishedNotes): void {
  const current = offered.at(clock.now())
  const period = formatPeriod(periodAt(toSeconds(clock.now())))
  for (const { id, name } of settings.chains) {
    const count = current?.sets.get(id)?.notes.length ?? 0
    if (count > 0) say(`${count} notes of ${period} on chain ${id} (${name})`)
    else say(`NO NOTES of ${period} on chain ${id} (${name}): run \`tallystick notes show\` for the reason`)
  }
}
