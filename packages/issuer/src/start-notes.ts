import { toSeconds } from '@tallystick/base'
import { countOf } from '@tallystick/base/pure'
import type { PoolReader, ReadChainTime } from '@tallystick/chain'
import { type Finding, formatPeriod, periodAt } from '@tallystick/core'
import { type CurveSource, manualCurveSource } from './curve/curve-source.ts'
import type { IssueContext } from './issue/issue-notes.ts'
import { type IssueScheduler, startIssueScheduler } from './issue/issue-scheduler.ts'
import { createPreflight } from './issue/preflight.ts'
import type { IssuerHost } from './issuer-host.ts'
import { openSignerJournal, type SignerJournal } from './journal/signer-journal.ts'
import { createNoteMetrics, type NoteMetrics } from './note-metrics.ts'
import { createJournalGuard, type JournalGuard } from './protection/journal-guard.ts'
import { keepProtected } from './protection/keep-protected.ts'
import { createSignerProtection, type SignerProtection } from './protection/signer-protection.ts'
import { createPublishedNotes, type PublishedNotes, withClockCheck } from './published-notes.ts'
import { type JournalChecks, type NoteRecorder, startJournalChecks } from './reconcile/start-journal-checks.ts'
import type { IssuerChain, IssuerSettings } from './settings.ts'
import { openSigners, saySigners } from './signers/open-signers.ts'
import type { Signer } from './signers/signer.ts'
import type { ClockMonitor } from './time/clock-monitor.ts'
import { startTreasurySource } from './treasury/treasury-source.ts'
import { createReadPool, createReadPoolLimits, type ReadIndexedPool, type ReadPool } from './watch/pool-source.ts'
import { type PoolWatch, watchPools } from './watch/watch-pools.ts'
import type { FindMaturePositions } from './watch/watch-wiring.ts'

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

export type NotesOptions = {
  readonly settings: IssuerSettings
  readonly sources: NoteSources
  readonly clocks: ClockMonitor
  /** Undefined if nothing is recorded. `origin` is the name of the log, which every answer tells. */
  readonly records: (NoteRecorder & { readonly origin: string }) | undefined
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
  const { chains, curve } = settings
  const chainIds = chains.map(({ id }) => id)
  const signers = await openSigners(chains)
  saySigners(signers, { say, log })
  const journal = await openSignerJournal(settings.signer.journal, { create: true, say })
  closers.push('journal of the signer', () => journal.close())
  const { protection, checkProtection } = startProtection(host, { settings, journal })
  const published = createPublishedNotes(chainIds, records?.origin)
  const offered = withClockCheck(published, clocks.agrees)
  const { findUncertainty } = clocks
  const curveSource =
    curve.source === 'manual'
      ? manualCurveSource
      : await startTreasurySource({ host, settings, curve, published, findUncertainty })
  closers.push('curve source', () => curveSource.stop())
  const noteMetrics = createNoteMetrics({ metrics, time, published: offered, chainIds })
  const readPool = createReadPool(sources, time)
  const guard = createJournalGuard(database, { journal, protection })
  const parts = { readPool, signers, guard, published, curveSource, noteMetrics }
  const scheduler = await startScheduler(host, { options, parts })
  // Together: the scheduler may be waiting for a fetch, which only the source can cut short.
  closers.push('issuing', () => Promise.all([curveSource.stop(), scheduler.stop()]))
  const poolWatch = await watchPools({ host, settings, sources, readPool, signers, published, noteMetrics })
  closers.push('pool watch', () => poolWatch.stop())
  const journalChecks = await startJournalChecks(host, { chains, published, journal, guard, protection, records })
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

type Issuing = {
  readonly options: NotesOptions
  readonly parts: Pick<IssueContext, 'signers' | 'curveSource'> & {
    readonly guard: JournalGuard
    readonly readPool: ReadPool
    readonly published: PublishedNotes
    readonly noteMetrics: NoteMetrics
  }
}

function startScheduler(host: IssuerHost, { options, parts }: Issuing): Promise<IssueScheduler> {
  const { database, time, log } = host
  const { settings, sources, clocks, records } = options
  const { signers, guard, published, curveSource, noteMetrics, readPool } = parts
  return startIssueScheduler({
    context: {
      settings,
      database,
      time,
      signers,
      readChainTime: sources.readChainTime,
      readPoolLimits: createReadPoolLimits(readPool),
      clocks,
      preflight: createPreflight(host, { settings, pools: sources.pools }),
      curveSource,
      journal: guard,
      recorder: records?.recorder,
    },
    published,
    metrics: noteMetrics,
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
    if (count > 0) say(`${countOf(count, 'note')} of ${period} on chain ${id} (${name})`)
    else say(`NO NOTES of ${period} on chain ${id} (${name}): run \`tallystick notes show\` for the reason`)
  }
}
