import { formatNewYork, formatPeriod, hashNote, periodAfter, periodAt, verifyNote } from '@tallystick/core'
import {
  type AuditedChange,
  type Auditor,
  auditedTransaction,
  type Database,
  type Queryable,
} from '@tallystick/database'
import { curvesChannel, findCurveInForce, findSameCurve, insertCurve } from '../curve/curve-store.ts'
import { keepNewestCurves } from '../curve/keep-newest-curves.ts'
import { findClaimedCurve } from '../issue/curve-claims.ts'
import { isSameDomain, type JournalEntry } from '../journal/journal-entry.ts'
import { findConflict, type SignedPeriod, type SignerJournal } from '../journal/signer-journal.ts'
import { findNoteSet, insertNoteSet } from '../note-store.ts'
import type { IssuerChain } from '../settings.ts'

/** Coupons of a period, in basis points by tenor in days. */
type Coupons = Readonly<Record<string, string>>

type ReportedPeriod = { readonly chainId: number; readonly period: string; readonly coupons: Coupons }

export type ReconcileReport = {
  /** The sets that were restored in the database. */
  readonly restored: readonly ReportedPeriod[]
  /** Number of the journal's sets that the database already has. */
  readonly present: number
  /** Periods that have not ended and for which the database has other terms. If there are any, nothing was changed. */
  readonly contradictions: readonly (ReportedPeriod & { readonly stored: Coupons; readonly endsAt: string })[]
  /** Invalid entries of the journal, which were skipped. */
  readonly problems: readonly string[]
}

export type ReconcileOptions = {
  readonly journal: Pick<SignerJournal, 'entries' | 'find'>
  readonly chains: readonly IssuerChain[]
  readonly nowSeconds: bigint
  readonly auditor: Auditor
}

// The rails and the portal look back 7 days for the last period.
const pastSeconds = 8n * 86_400n

/**
 * Restores the journal's sets that the database lacks, each with its curve. Verifies every signature and signs nothing.
 * Never changes a stored set.
 */
export async function reconcileNotes(database: Database, options: ReconcileOptions): Promise<ReconcileReport> {
  const { entries, problems } = await readEntries(options)
  const report = await auditedTransaction(database, options.auditor, async (transaction, record) => {
    // Conflicts with the share lock of `storeNoteSet`, and serializes the insertion of curves like `storeCurveIf`.
    await transaction.query('lock table curves in exclusive mode')
    const { missing, present, contradictions } = await sortEntries(transaction, { entries, options })
    if (contradictions.length > 0) return { restored: [], present, contradictions }
    await restore(transaction, { missing, nowSeconds: options.nowSeconds })
    const restored = missing.map(reportEntry)
    for (const set of restored) await record(describeRestored(set))
    return { restored, present, contradictions }
  })
  if (report.restored.length > 0) await database.notify(curvesChannel)
  return { ...report, problems }
}

/** Reads the last entry of each recent period and configured chain, oldest first. */
async function readEntries({ journal, chains, nowSeconds }: ReconcileOptions) {
  const nextStart = periodAfter(periodAt(nowSeconds)).start
  const latest = new Map<string, { readonly entry: JournalEntry; readonly chain: IssuerChain }>()
  for await (const entry of journal.entries()) {
    const { chainId, period } = entry.set
    const chain = chains.find(({ id, domain }) => id === chainId && isSameDomain(domain, entry.domain))
    if (!chain || period.end <= nowSeconds - pastSeconds || period.start > nextStart) continue
    const key = `${chainId}:${period.start}`
    const known = latest.get(key)?.entry
    // The same terms may have been signed again for a preflight.
    if (!entry.isPending || !known || known.isPending) latest.set(key, { entry, chain })
  }
  const entries: JournalEntry[] = []
  const problems: string[] = []
  for (const { entry, chain } of latest.values()) {
    const problem = await findProblem(entry, chain)
    if (problem) problems.push(`${describe(entry)}: ${problem}`)
    else entries.push(entry)
  }
  entries.sort((a, b) => Number(a.set.period.start - b.set.period.start))
  return { entries, problems }
}

// Maximum of the column's type.
const couponMax = 2n ** 31n - 1n

async function findProblem({ set, digests }: JournalEntry, { domain }: IssuerChain): Promise<string | undefined> {
  for (const [index, note] of set.notes.entries()) {
    const subject = `the ${note.tenorDays}-day note`
    if (note.coupon > couponMax) return `${subject} has a coupon of ${note.coupon} bps, which the database cannot hold`
    if (hashNote(note, domain) !== digests[index]) return `${subject} has a digest that does not match its terms`
    const verification = await verifyNote(note, { domain, signer: set.signer })
    if (!verification.valid) return `${subject} is invalid: ${verification.reason}`
  }
  return undefined
}

async function sortEntries(
  transaction: Queryable,
  { entries, options }: { readonly entries: readonly JournalEntry[]; readonly options: ReconcileOptions },
) {
  const { journal, chains, nowSeconds } = options
  const missing: JournalEntry[] = []
  const contradictions: ReconcileReport['contradictions'][number][] = []
  let present = 0
  for (const entry of entries) {
    const { chainId, period } = entry.set
    const chain = chains.find(({ id }) => id === chainId) as IssuerChain
    const stored = await findNoteSet(transaction, { chainId, periodStart: period.start })
    const signed = journal.find({ chain, periodStart: period.start })
    // The set may have been discarded after the entries were read.
    if (!signed) continue
    if (!stored) {
      if (!entry.isPending || (await isContradicted(transaction, { entry, signed }))) missing.push(entry)
    } else if (period.end <= nowSeconds || !findConflict(signed, { notes: stored.notes, domain: chain.domain })) {
      present += 1
    } else {
      const endsAt = `${formatNewYork(period.end)} New York`
      contradictions.push({ ...reportEntry(entry), stored: couponsOf(stored.notes), endsAt })
    }
  }
  return { missing, present, contradictions }
}

/**
 * Returns whether a pending set has other terms than the service would sign now, so that it can sign nothing. With the same
 * terms, the service stores the set itself once the pool accepts it. A set with a void note is never stored.
 */
async function isContradicted(
  transaction: Queryable,
  { entry: { set, digests }, signed }: { readonly entry: JournalEntry; readonly signed: SignedPeriod },
): Promise<boolean> {
  const isValid = set.notes.every((note, index) => signed.notes.get(note.maturityTimestamp)?.digest === digests[index])
  if (!isValid) return false
  const key = { chainId: set.chainId, periodStart: set.period.start }
  const curve = (await findClaimedCurve(transaction, key)) ?? (await findCurveInForce(transaction, key))
  return set.notes.some(({ tenorDays, coupon }) => {
    const bps = curve?.points[tenorDays]
    return bps !== undefined && BigInt(bps) !== coupon
  })
}

async function restore(
  transaction: Queryable,
  { missing, nowSeconds }: { readonly missing: readonly JournalEntry[]; readonly nowSeconds: bigint },
): Promise<void> {
  const chainIds = missing.map(({ set }) => set.chainId)
  await keepNewestCurves(transaction, {
    chainIds,
    nowSeconds,
    restore: async () => {
      for (const { set, curve } of missing) {
        const { id: curveId } = (await findSameCurve(transaction, curve)) ?? (await insertCurve(transaction, curve))
        await insertNoteSet(transaction, { ...set, curveId })
      }
    },
  })
}

function reportEntry(entry: JournalEntry): ReportedPeriod {
  const { chainId, period, notes } = entry.set
  return { chainId, period: formatPeriod(period), coupons: couponsOf(notes) }
}

function describeRestored({ chainId, period, coupons }: ReportedPeriod): AuditedChange {
  return { action: 'notes.restore', subject: `chain ${chainId}, ${period}`, details: { coupons } }
}

function couponsOf(notes: JournalEntry['set']['notes']): Coupons {
  return Object.fromEntries(notes.map(({ tenorDays, coupon }) => [tenorDays, String(coupon)]))
}

function describe({ set }: JournalEntry): string {
  return `chain ${set.chainId}, ${formatPeriod(set.period)}`
}
