import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidConfig, TallystickError } from '@tallystick/core'
import { JournalError, readJournal } from '../journal/journal-file.ts'
import { openSignerJournal, readPeriods, type SignerJournal } from '../journal/signer-journal.ts'
import type { IssuerSettings } from '../settings.ts'
import type { Claim } from './claim.ts'
import { readClaims } from './claim-store.ts'
import { comparePlaces, encodeInterchange, readInterchange } from './interchange.ts'
import { toClaims } from './keep-protected.ts'
import { claimOrThrow, openProtection } from './signer-protection.ts'

export type ClaimPlace = 'journal' | 'protection'

type SignerFiles = Pick<IssuerSettings['signer'], 'journal' | 'protection'>

export type ExportReport = { readonly file: string; readonly from: string; readonly entries: number }

/** Writes what was signed or claimed to a new file. Takes no lock: a service may have the journal open. */
export async function exportClaims(
  signer: SignerFiles,
  { file, from }: { readonly file: string; readonly from: ClaimPlace },
): Promise<ExportReport> {
  let entries = 0
  const count = async function* (pages: Parameters<typeof encodeInterchange>[0]) {
    for await (const page of pages) {
      entries += page.length
      yield page
    }
  }
  if (from === 'journal') {
    await writeLines(file, encodeInterchange(count([await readSorted(signer.journal)])))
    return { file, from: signer.journal, entries }
  }
  const database = await openProtection(urlOf(signer))
  try {
    await database.snapshot((snapshot) => writeLines(file, encodeInterchange(count(readClaims(snapshot)))))
    return { file, from: database.label, entries }
  } finally {
    await database.close()
  }
}

export type ImportReport = {
  readonly file: string
  readonly entries: number
  /** Undefined if it was not imported there. */
  readonly journal?: { readonly path: string; readonly added: number } | undefined
  readonly protection?: { readonly database: string } | undefined
}

/**
 * Adds the notes of an export to the journal, to the shared protection, or to both. If one of them has other terms for a
 * note, nothing is changed anywhere. Can be repeated.
 */
export async function importClaims(
  signer: SignerFiles,
  { file, into }: { readonly file: string; readonly into: readonly ClaimPlace[] },
): Promise<ImportReport> {
  const database = into.includes('protection') ? await openProtection(urlOf(signer)) : undefined
  const journal = into.includes('journal') ? await openSignerJournal(signer.journal, { create: true }) : undefined
  try {
    let entries = 0
    for await (const claim of readInterchange(file)) {
      entries += 1
      if (journal) assertAgrees(journal, claim)
    }
    if (database)
      await claimOrThrow(
        database,
        inBatches(readInterchange(file), (batch) => batch.length === batchSize),
      )
    const added = journal && (await importIntoJournal(journal, readInterchange(file)))
    return {
      file,
      entries,
      ...(journal && { journal: { path: journal.path, added: added ?? 0 } }),
      ...(database && { protection: { database: database.label } }),
    }
  } finally {
    await journal?.close()
    await database?.close()
  }
}

const batchSize = 500

function urlOf({ protection }: SignerFiles): string {
  const url = protection?.reveal()
  if (url) return url
  throw invalidConfig('signer.protection is not set. Set it in the configuration, or use the journal alone.')
}

async function readSorted(path: string): Promise<Claim[]> {
  try {
    return [...(await readPeriods(readJournal(path)))].flatMap(toClaims).toSorted(comparePlaces)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof TallystickError || !code) throw error
    throw new JournalError({
      reason: 'journal_failed',
      message: `The signer journal ${path} cannot be read (${code}).`,
    })
  }
}

/** Never overwrites a file. */
async function writeLines(file: string, lines: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(lines), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    const message = code === 'EEXIST' ? `${file} exists and was not changed.` : `${file} cannot be written (${code}).`
    throw new TallystickError({ code: 'invalid_parameter', message, retryable: false })
  }
}

function assertAgrees(journal: SignerJournal, claim: Claim): void {
  const known = findNote(journal, claim)
  if (!known || known.digest === claim.digest) return
  const { chainId, periodStart, coupon } = claim
  throw new JournalError({
    reason: 'journal_contradicted',
    message:
      `The signer journal ${journal.path} has ${known.coupon} bps for the ${known.tenorDays}-day note of the period that ` +
      `starts at ${new Date(Number(periodStart) * 1000).toISOString()} on chain ${chainId}, and the export has ` +
      `${coupon} bps. Nothing was changed: one replica contradicted the other.`,
  })
}

function findNote(journal: SignerJournal, { chainId, domain, periodStart, maturity }: Claim) {
  return journal.find({ chain: { id: chainId, domain }, periodStart })?.notes.get(maturity)
}

/** Writes one line per period with the notes that the journal does not have. Returns how many notes those are. */
async function importIntoJournal(journal: SignerJournal, claims: AsyncIterable<Claim>): Promise<number> {
  let added = 0
  const isOtherPeriod = ([first]: readonly Claim[], next: Claim | undefined) =>
    !next || !first || comparePlaces({ ...first, maturity: 0n }, { ...next, maturity: 0n }) !== 0
  for await (const period of inBatches(claims, isOtherPeriod)) {
    const missing = period.filter((claim) => !findNote(journal, claim))
    const [first] = missing
    if (!first) continue
    const { chainId, domain, periodStart } = first
    await journal.import({ chainId, domain, periodStart, notes: missing })
    added += missing.length
  }
  return added
}

/** Groups claims. A batch ends where `isFull` says so of it and the claim that follows. */
async function* inBatches(
  claims: AsyncIterable<Claim>,
  isFull: (batch: readonly Claim[], next: Claim | undefined) => boolean,
): AsyncGenerator<readonly Claim[]> {
  let batch: Claim[] = []
  for await (const claim of claims) {
    if (batch.length > 0 && isFull(batch, claim)) {
      yield batch
      batch = []
    }
    batch.push(claim)
  }
  if (batch.length > 0) yield batch
}
