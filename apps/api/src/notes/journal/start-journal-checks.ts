import { existsSync } from 'node:fs'
import type { Database } from '@tallystick/database'
import type { Auditor } from '../../audit/audit-log.ts'
import { type Clock, toSeconds } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { admitStored } from '../issue/issue-notes.ts'
import { type DiscardedSet, discardRogueSet, type WantedDiscard } from '../issue/premature-sets.ts'
import type { Published } from '../published-notes.ts'
import { type BookKeeper, keepBooks } from './discrepancy-monitor.ts'
import { createJournalGuard } from './journal-guard.ts'
import { type ReconcileReport, reconcileNotes } from './reconcile-notes.ts'
import { openSignerJournal, type SignerJournal } from './signer-journal.ts'

type BooksContext = Pick<Parameters<typeof keepBooks>[0], 'clock' | 'metrics' | 'log'> & {
  readonly config: Pick<Config, 'signer' | 'chains'>
  readonly published: Published
}

export type RunningBooks = BookKeeper & {
  readonly reconcile: (auditor: Auditor) => Promise<ReconcileReport>
  readonly discard: (wanted: WantedDiscard) => Promise<DiscardedSet>
}

/** Starts the comparison of memory, journal and database, once the notes are in memory. */
export async function startBooks(
  database: Database,
  { journal, ...context }: BooksContext & { readonly journal: SignerJournal },
): Promise<RunningBooks> {
  const { config, clock, log, published } = context
  const guard = createJournalGuard(database, journal)
  const keeper = await keepBooks({
    ...context,
    database,
    journal,
    chains: config.chains,
    adopt: async (set, chain) => {
      const admitted = await admitStored({ journal: guard }, { set, chain }).catch(() => undefined)
      if (!admitted?.set) return false
      published.publish(set)
      log.warn({ chain: chain.id, periodStart: Number(set.period.start) }, 'adopted the signatures in the database')
      return true
    },
  })
  return {
    ...keeper,
    reconcile: async (auditor) => {
      const nowSeconds = toSeconds(clock.now())
      const report = await reconcileNotes(database, { journal, chains: config.chains, nowSeconds, auditor })
      await keeper.compare()
      return report
    },
    discard: async (wanted) => {
      const discarded = await discardRogueSet(database, { wanted, journal, chains: config.chains })
      published.drop(wanted.chainId, wanted.periodStart)
      await keeper.compare()
      return discarded
    },
  }
}

/** Reconciles with the configured journal file, where no service runs that has it open. */
export async function reconcileFromFile(
  database: Database,
  {
    config,
    clock,
    auditor,
  }: { readonly config: Pick<Config, 'signer' | 'chains'>; readonly clock: Clock; readonly auditor: Auditor },
): Promise<ReconcileReport> {
  const journal = await openSignerJournal(config.signer.journal, { create: false, say: () => undefined })
  try {
    const nowSeconds = toSeconds(clock.now())
    return await reconcileNotes(database, { journal, chains: config.chains, nowSeconds, auditor })
  } finally {
    await journal.close()
  }
}

/** Discards with the configured journal file, where no service runs that has it open. A machine may have none. */
export async function discardFromFile(
  database: Database,
  { config, wanted }: { readonly config: Pick<Config, 'signer' | 'chains'>; readonly wanted: WantedDiscard },
): Promise<DiscardedSet> {
  const path = config.signer.journal
  const journal = existsSync(path) ? await openSignerJournal(path, { create: false, say: () => undefined }) : undefined
  try {
    return await discardRogueSet(database, { wanted, journal, chains: config.chains })
  } finally {
    await journal?.close()
  }
}
