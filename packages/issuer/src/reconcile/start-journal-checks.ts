import { existsSync } from 'node:fs'
import { type Time, toSeconds } from '@tallystick/base'
import type { Auditor, Database } from '@tallystick/database'
import { acceptStoredSet } from '../issue/issue-notes.ts'
import { type DiscardedSet, type DiscardRequest, discardPrematureSet } from '../issue/premature-sets.ts'
import type { Recorder } from '../issue/recorder.ts'
import type { IssuerHost } from '../issuer-host.ts'
import { openSignerJournal, type SignerJournal } from '../journal/signer-journal.ts'
import type { NoteSet } from '../note-set.ts'
import type { JournalGuard } from '../protection/journal-guard.ts'
import { createSignerProtection, type SignerProtection } from '../protection/signer-protection.ts'
import type { PublishedNotes } from '../published-notes.ts'
import type { IssuerChain, IssuerSettings } from '../settings.ts'
import { type DiscrepancyMonitor, startDiscrepancyMonitor } from './discrepancy-monitor.ts'
import { type ReconcileReport, reconcileNotes } from './reconcile-notes.ts'

type JournalChecksOptions = {
  readonly chains: readonly IssuerChain[]
  readonly published: PublishedNotes
  readonly journal: SignerJournal
  readonly guard: JournalGuard
  readonly protection: SignerProtection | undefined
  /** Undefined if nothing is recorded. */
  readonly records: NoteRecorder | undefined
}

/** What records signed notes, such as a public log, and what restores its records. */
export type NoteRecorder = {
  readonly recorder: Recorder
  readonly reconcile: (auditor: Auditor) => Promise<RecordsReport>
}

/** What was restored of the records of signed notes, which are the entries of the public log. */
export type RecordsReport = {
  /** Number of entries that were copied back. */
  readonly restored: number
  /** Number of entries. */
  readonly size: number
  /** Why they could not be restored. Nothing was changed then. */
  readonly problem?: string | undefined
}

/** What was restored. `log` is undefined if nothing is recorded, or if the notes contradict each other. */
export type FullReconcileReport = ReconcileReport & { readonly log?: RecordsReport | undefined }

export type JournalChecks = DiscrepancyMonitor & {
  readonly reconcile: (auditor: Auditor) => Promise<FullReconcileReport>
  readonly discard: (request: DiscardRequest) => Promise<DiscardedSet>
}

/** Starts the comparison of memory, journal and database. Call it once the notes are in memory. */
export async function startJournalChecks(
  host: Pick<IssuerHost, 'database' | 'time' | 'metrics' | 'log'>,
  { chains, published, journal, guard, protection, records }: JournalChecksOptions,
): Promise<JournalChecks> {
  const { database, time, log } = host
  const adopt = async (set: NoteSet, chain: IssuerChain) => {
    const recorder = records?.recorder
    const accepted = await acceptStoredSet({ journal: guard, recorder }, { set, chain }).catch(() => undefined)
    if (!accepted?.set) return false
    published.publish(accepted.set)
    log.warn({ chain: chain.id, periodStart: Number(set.period.start) }, 'adopted the signatures in the database')
    return true
  }
  const compared = { database, journal, published, chains, adopt }
  const monitor = await startDiscrepancyMonitor(host, { records: compared, protection })
  return {
    ...monitor,
    reconcile: async (auditor) => {
      const nowSeconds = toSeconds(time.now())
      const report = await reconcileNotes(database, { journal, chains, nowSeconds, auditor })
      const log = report.contradictions.length === 0 ? await records?.reconcile(auditor) : undefined
      await monitor.compare()
      return { ...report, log }
    },
    discard: async (request) => {
      const discarded = await discardPrematureSet(database, { request, journal, protection, chains })
      published.drop(request.chainId, request.periodStart)
      await monitor.compare()
      return discarded
    },
  }
}

type ReconcileFileOptions = {
  readonly config: Pick<IssuerSettings, 'signer' | 'chains'>
  readonly time: Pick<Time, 'now'>
  readonly auditor: Auditor
  /** Reconciles the records at an instant, if there are any. */
  readonly reconcileRecords?: ((nowSeconds: bigint) => Promise<RecordsReport>) | undefined
}

/** Reconciles with the journal file. For use while no service has it open. */
export async function reconcileFromFile(
  database: Database,
  { config, time, auditor, reconcileRecords }: ReconcileFileOptions,
): Promise<FullReconcileReport> {
  const journal = await openSignerJournal(config.signer.journal, { create: false })
  try {
    const nowSeconds = toSeconds(time.now())
    const report = await reconcileNotes(database, { journal, chains: config.chains, nowSeconds, auditor })
    if (report.contradictions.length > 0) return report
    return { ...report, log: await reconcileRecords?.(nowSeconds) }
  } finally {
    await journal.close()
  }
}

/** Discards a premature set, also from the journal file if it exists. For use while no service has it open. */
export async function discardFromFile(
  database: Database,
  { config, request }: { readonly config: Pick<IssuerSettings, 'signer' | 'chains'>; readonly request: DiscardRequest },
): Promise<DiscardedSet> {
  const path = config.signer.journal
  const journal = existsSync(path) ? await openSignerJournal(path, { create: false }) : undefined
  const protection = config.signer.protection && createSignerProtection(config.signer.protection.reveal())
  try {
    return await discardPrematureSet(database, { request, journal, protection, chains: config.chains })
  } finally {
    await protection?.close()
    await journal?.close()
  }
}
