import { type Closers, type Metrics, type Time, toSeconds } from '@tallystick/base'
import type { PoolReader, ReadChainTime } from '@tallystick/chain'
import { type Finding, formatPeriod, periodAt } from '@tallystick/core'
import type { Auditor, Database } from '@tallystick/database'
import type { Logger } from 'pino'
import { type CurveSource, manualCurveSource } from './curve/curve-source.ts'
import type { IssueContext } from './issue/issue-notes.ts'
import { type IssueScheduler, startIssueScheduler } from './issue/issue-scheduler.ts'
import { createPreflight, type Preflight } from './issue/preflight.ts'
import { createPreflightMetrics } from './issue/preflight-metrics.ts'
import type { Recorder } from './issue/recorder.ts'
import { openSignerJournal, type SignerJournal } from './journal/signer-journal.ts'
import { createNoteMetrics, type NoteMetrics } from './note-metrics.ts'
import { createJournalGuard } from './protection/journal-guard.ts'
import { keepProtected } from './protection/keep-protected.ts'
import { createSignerProtection, type SignerProtection } from './protection/signer-protection.ts'
import { createPublishedNotes, type PublishedNotes, withClockCheck } from './published-notes.ts'
import { type JournalChecks, type RecordsReport, startJournalChecks } from './reconcile/start-journal-checks.ts'
import type { IssuerChain, IssuerSettings } from './settings.ts'
import { openSigners, saySigners } from './signers/open-signers.ts'
import type { Signer } from './signers/signer.ts'
import type { ClockMonitor } from './time/clock-monitor.ts'
import { startTreasurySource } from './treasury/treasury-source.ts'
import { createReadPool, createReadPoolLimits, type ReadIndexedPool, type ReadPool } from './watch/pool-source.ts'
import { type PoolWatch, watchPools } from './watch/watch-pools.ts'
import type { FindMaturePositions } from './watch/watch-wiring.ts'

/** What the issuer shares with the rest of the process. */
export type IssuerHost = {
  readonly database: Database
  readonly time: Time
  readonly metrics: Metrics
  readonly log: Logger
  readonly say: (line: string) => void
  readonly closers: Pick<Closers, 'push'>
}

/** Reads the chains and their indexes. */
type NoteSources = {
  /** Readers of the pools that have an RPC. */
  readonly pools: ReadonlyMap<number, PoolReader>
  readonly readIndexedPool: ReadIndexedPool
  /** Lag of an index that is too large to trust it. */
  readonly maxLagSeconds: number
  readonly findMature: FindMaturePositions
  readonly readChainTime: ReadChainTime
}

/** Public log of what was signed. */
type NoteRecorder = {
  /** Name of the log, which every answer tells. */
  readonly origin: string
  readonly recorder: Recorder
  readonly reconcile: (auditor: Auditor) => Promise<RecordsReport>
}

export type NotesOptions = {
  readonly settings: IssuerSettings
  readonly sources: NoteSources
  readonly clocks: ClockMonitor
  /** Undefined if nothing is recorded. */
  readonly records: NoteRecorder | undefined
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
export async function startNotes(host: IssuerHost, options: NotesOptions): Promise<RunningNotes> {
  const { database, time, metrics, log, say, closers } = host
  const { settings, sources, clocks, records } = options
  const { chains } = settings
  const chainIds = chains.map(({ id }) => id)
  const signers = await openSigners(chains)
  saySigners(signers, { say, log })
  const journal = await openSignerJournal(settings.signer.journal, { create: true, say })
  closers.push('journal of the signer', () => journal.close())
  const { protection, checkProtection } = startProtection(host, { settings, journal })
  const published = createPublishedNotes(chainIds, records?.origin)
  const offered = withClockCheck(published, clocks.agrees)
  const curveSource = await startCurveSource(host, { settings, clocks, published })
  closers.push('curve source', () => curveSource.stop())
  const noteMetrics = createNoteMetrics({ metrics, time, published: offered, chainIds })
  const readPool = createReadPool({
    readers: sources.pools,
    readIndexedPool: sources.readIndexedPool,
    nowSeconds: () => toSeconds(time.now()),
    maxLagSeconds: sources.maxLagSeconds,
  })
  const guard = createJournalGuard(database, { journal, protection })
  const parts = { readPool, signers, journal: guard, published, curveSource, noteMetrics }
  const scheduler = await startScheduler(host, { options, parts })
  // Together: the scheduler may be waiting for a fetch, which only the source can cut short.
  closers.push('issuing', () => Promise.all([curveSource.stop(), scheduler.stop()]))
  const poolWatch = await startPoolWatch(host, { options, parts })
  closers.push('pool watch', () => poolWatch.stop())
  const journalChecks = await startJournalChecks(database, {
    chains,
    published,
    journal,
    protection,
    recorder: records?.recorder,
    reconcileRecords: records?.reconcile,
    time,
    metrics,
    log,
  })
  closers.push('journal checks', () => journalChecks.stop())
  sayNotes(host, { chains, offered })
  return { published: offered, scheduler, signers, poolWatch, journalChecks, checkProtection, curveSource }
}

/** Opens the shared protection, if there is one, and keeps this replica's journal in it. */
function startProtection(
  { time, metrics, log, closers }: IssuerHost,
  { settings, journal }: Pick<NotesOptions, 'settings'> & { readonly journal: SignerJournal },
): Pick<RunningNotes, 'checkProtection'> & { readonly protection?: SignerProtection } {
  const url = settings.signer.protection
  if (!url) return { checkProtection: () => [] }
  const protection = createSignerProtection(url.reveal())
  closers.push('signer protection', () => protection.close())
  const kept = keepProtected({ protection, journal, chains: settings.chains, time, metrics, log })
  closers.push('checks of the signer protection', () => kept.stop())
  return { protection, checkProtection: () => [kept.check()] }
}

async function startCurveSource(
  { database, time, metrics, log }: IssuerHost,
  {
    settings: { curve, chains, tenors, rails },
    clocks,
    published,
  }: Pick<NotesOptions, 'settings' | 'clocks'> & { readonly published: PublishedNotes },
): Promise<CurveSource> {
  if (curve.source === 'manual') return manualCurveSource
  const config = { curve, chains, tenors, rails }
  const { findUncertainty } = clocks
  return startTreasurySource({ config, published, database, time, metrics, log, findUncertainty })
}

type Issuing = {
  readonly options: NotesOptions
  readonly parts: Pick<IssueContext, 'signers' | 'journal' | 'curveSource'> & {
    readonly readPool: ReadPool
    readonly published: PublishedNotes
    readonly noteMetrics: NoteMetrics
  }
}

function startScheduler(host: IssuerHost, { options, parts }: Issuing): Promise<IssueScheduler> {
  const { database, time, log } = host
  const { settings, sources, clocks, records } = options
  const { signers, journal, published, curveSource } = parts
  return startIssueScheduler({
    context: {
      settings,
      database,
      time,
      signers,
      readChainTime: sources.readChainTime,
      readPoolLimits: createReadPoolLimits(parts.readPool),
      clocks,
      preflight: createNotePreflight(host, options),
      curveSource,
      journal,
      recorder: records?.recorder,
    },
    published,
    metrics: parts.noteMetrics,
    log,
  })
}

function createNotePreflight({ time, metrics, log }: IssuerHost, { settings, sources }: NotesOptions): Preflight {
  const mode = settings.rails.preflight
  const readers = mode === 'off' ? new Map<number, PoolReader>() : sources.pools
  return createPreflight({
    mode,
    readers,
    nextSigners: new Map(settings.chains.map(({ id, signer }) => [id, signer.next])),
    time,
    metrics: createPreflightMetrics({ metrics, time, chainIds: [...readers.keys()] }),
    log,
  })
}

function startPoolWatch(
  { database, time, metrics, log }: IssuerHost,
  { options: { settings, sources }, parts: { readPool, signers, published, noteMetrics } }: Issuing,
): Promise<PoolWatch> {
  const { pools, findMature } = sources
  return watchPools({
    config: settings,
    pools,
    readPool,
    findMature,
    signers,
    published,
    database,
    time,
    noteMetrics,
    metrics,
    log,
  })
}

function sayNotes(
  { time, say }: IssuerHost,
  { chains, offered }: { readonly chains: readonly IssuerChain[]; readonly offered: PublishedNotes },
): void {
  const current = offered.at(time.now())
  const period = formatPeriod(periodAt(toSeconds(time.now())))
  for (const { id, name } of chains) {
    const count = current?.sets.get(id)?.notes.length ?? 0
    if (count > 0) say(`${count} notes of ${period} on chain ${id} (${name})`)
    else say(`NO NOTES of ${period} on chain ${id} (${name}): run \`tallystick notes show\` for the reason`)
  }
}
