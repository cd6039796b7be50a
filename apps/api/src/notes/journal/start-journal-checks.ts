import { existsSync } from 'node:fs'
import type { Database } from '@tallystick/database'
import type { Auditor } from '../../audit/audit-log.ts'
import { type Clock, toSeconds } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { NoteLog } from '../../log/note-log.ts'
import { type LogReconcileReport, reconcileLogFromFile } from '../../log/reconcile-log.ts'
import { acceptStoredSet } from '../issue/issue-notes.ts'
import { type DiscardedSet, type DiscardRequest, discardPrematureSet } from '../issue/premature-sets.ts'
import { createSignerProtection, type SignerProtection } from '../protection/signer-protection.ts'
import type { PublishedNotes } from '../published-notes.ts'
import { type DiscrepancyMonitor, startDiscrepancyMonitor } from './discrepancy-monitor.ts'
import { createJournalGuard } from './journal-guard.ts'
import { type ReconcileReport, reconcileNotes } from './reconcile-notes.ts'
import { openSignerJournal, type SignerJournal } from './signer-journal.ts'

type JournalChecksContext = Pick<Parameters<typeof startDiscrepancyMonitor>[0], 'clock' | 'metrics' | 'log'> & {
  readonly config: Pick<Config, 'signer' | 'chains'>
  readonly published: PublishedNotes
  readonly protection?: SignerProtection | undefined
  /** Undefined if no public log is configured. */
  readonly noteLog?: NoteLog | undefined
  readonly reconcileLog?: ((auditor: Auditor) => Promise<LogReconcileReport>) | undefined
}

/** What was restored. `log` is undefined if no public log is configured, or if the notes contradict each other. */
export type FullReconcileReport = ReconcileReport & { readonly log?: LogReconcileReport | undefined }

export type JournalChecks = DiscrepancyMonitor & {
  readonly reconcile: (auditor: Auditor) => Promise<FullReconcileReport>
  readonly discard: (request: DiscardRequest) => Promise<DiscardedSet>
}

/** Starts the comparison of memory, journal and database. Call it once the notes are in memory. */
export async function startJournalChecks(
  database: Database,
  { journal, ...context }: JournalChecksContext & { readonly journal: SignerJournal },
): Promise<JournalChecks> {
  const { config, clock, log, published, protection, noteLog, reconcileLog } = context
  const guard = createJournalGuard(database, { journal, protection })
  const monitor = await startDiscrepancyMonitor({
    ...context,
    database,
    journal,
    chains: config.chains,
    adopt: async (set, chain) => {
      const accepted = await acceptStoredSet({ journal: guard, noteLog }, { set, chain }).catch(() => undefined)
      if (!accepted?.set) return false
      published.publish(accepted.set)
      log.warn({ chain: chain.id, periodStart: Number(set.period.start) }, 'adopted the signatures in the database')
      return true
    },
  })
  return {
    ...monitor,
    reconcile: async (auditor) => {
      const nowSeconds = toSeconds(clock.now())
      const report = await reconcileNotes(database, { journal, chains: config.chains, nowSeconds, auditor })
      const log = report.contradictions.length === 0 ? await reconcileLog?.(auditor) : undefined
      await monitor.compare()
      return { ...report, log }
    },
    discard: async (request) => {
      const discarded = await discardPrematureSet(database, { request, journal, protection, chains: config.chains })
      published.drop(request.chainId, request.periodStart)
      await monitor.compare()
      return discarded
    },
  }
}

/** Reconciles with the journal file. For use while no service has it open. */
export async function reconcileFromFile(
  database: Database,
  {
    config,
    clock,
    auditor,
  }: { readonly config: Pick<Config, 'signer' | 'chains' | 'log'>; readonly clock: Clock; readonly auditor: Auditor },
): Promise<FullReconcileReport> {
  const journal = await openSignerJournal(config.signer.journal, { create: false, say: () => undefined })
  try {
    const nowSeconds = toSeconds(clock.now())
    const report = await reconcileNotes(database, { journal, chains: config.chains, nowSeconds, auditor })
    if (!config.log || report.contradictions.length > 0) return report
    const chainIds = config.chains.map(({ id }) => id)
    return {
      ...report,
      log: await reconcileLogFromFile(database, { config: config.log, chainIds, nowSeconds, auditor }),
    }
  } finally {
    await journal.close()
  }
}

/** Discards a premature set, also from the journal file if it exists. For use while no service has it open. */
export async function discardFromFile(
  database: Database,
  { config, request }: { readonly config: Pick<Config, 'signer' | 'chains'>; readonly request: DiscardRequest },
): Promise<DiscardedSet> {
  const path = config.signer.journal
  const journal = existsSync(path) ? await openSignerJournal(path, { create: false, say: () => undefined }) : undefined
  const protection = config.signer.protection && createSignerProtection(config.signer.protection.reveal())
  try {
    return await discardPrematureSet(database, { request, journal, protection, chains: config.chains })
  } finally {
    await protection?.close()
    await journal?.close()
  }
}
