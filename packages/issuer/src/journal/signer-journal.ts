import { access } from 'node:fs/promises'
import { createLineFile } from '@tallystick/base'
import { hashNote, type NoteDomain, type NoteTerms } from '@tallystick/core'
import { lockDirectory } from '@tallystick/database'
import type { Hex } from 'viem'
import { encodeDiscard, type JournalDiscard } from './journal-discard.ts'
import { encodeEntry, type JournalEntry } from './journal-entry.ts'
import { JournalError, type JournalLine, openJournalFile, readJournal } from './journal-file.ts'
import { encodeImport, type JournalImport } from './journal-import.ts'

/** A signed note. */
export type SignedNote = Omit<JournalImport['notes'][number], 'maturity'> & {
  /** True if no set with it was about to be stored. Only the RPC of a preflight may have its signature. */
  readonly isPending?: true | undefined
  /** True if it was imported: another replica may have signed it, and this one cannot restore it. */
  readonly isImported?: true | undefined
}

/** All notes of a chain and period in the journal since the last discard. */
export type SignedPeriod = {
  /** By maturity. */
  readonly notes: ReadonlyMap<bigint, SignedNote>
  /** The `r` values of the last entry, which identify its signatures. */
  readonly signatures: string
}

export type PeriodKey = {
  readonly chain: { readonly id: number; readonly domain: NoteDomain }
  readonly periodStart: bigint
}

/** A file on this replica's disk with all notes it signed or published. It survives a restore of the database. */
export type SignerJournal = {
  readonly path: string
  find(key: PeriodKey): SignedPeriod | undefined
  /** Resolves once the entry is on disk. Throws `JournalError`. */
  append(entry: JournalEntry): Promise<void>
  /** Voids earlier notes of the period. Resolves once that is on disk. Throws `JournalError`. */
  discard(discard: JournalDiscard): Promise<void>
  /** Binds the notes of another replica. Resolves once they are on disk. Throws `JournalError`. */
  import(notes: JournalImport): Promise<void>
  /** All notes that count, by place. */
  periods(): Iterable<JournalImport>
  /** Reads all entries from the file, oldest first, including voided ones, whose period `find` does not return. */
  entries(): AsyncGenerator<JournalEntry>
  close(): Promise<void>
}

/**
 * Opens the journal and locks it against other processes. Keeps the digests and coupons of all entries in memory (a few
 * megabytes after years), so that no entry expires, whatever the clock says.
 */
export async function openSignerJournal(
  path: string,
  { create, say }: { readonly create: boolean; readonly say?: ((line: string) => void) | undefined },
): Promise<SignerJournal> {
  const unlock = await lockJournal(path, { create })
  try {
    const periods: KnownPeriods = new Map()
    let length = 0
    for await (const line of readJournal(path)) {
      length = line.endsAt
      if (!take(periods, line))
        say?.(`the last line of the signer journal ${path} is incomplete; truncating the file to ${length} bytes`)
    }
    const file = await openJournalFile(path, length)
    return {
      path,
      find: ({ chain, periodStart }) => periods.get(keyOf({ chainId: chain.id, domain: chain.domain, periodStart })),
      append: async (entry) => {
        await file.append(encodeEntry(entry))
        remember(periods, entry)
      },
      discard: async (discard) => {
        await file.append(encodeDiscard(discard))
        forget(periods, discard)
      },
      import: async (notes) => {
        await file.append(encodeImport(notes))
        bind(periods, notes)
      },
      periods: () => listPeriods(periods),
      entries: () => readEntries(path),
      close: async () => {
        await file.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error instanceof JournalError ? error : cannotOpen(path, error as NodeJS.ErrnoException)
  }
}

/** Returns the first note whose terms differ from those in the journal for its maturity. */
export function findConflict(
  signed: SignedPeriod | undefined,
  { notes, domain }: { readonly notes: readonly NoteTerms[]; readonly domain: NoteDomain },
): { readonly signed: SignedNote; readonly other: NoteTerms } | undefined {
  for (const other of notes) {
    const known = signed?.notes.get(other.maturityTimestamp)
    if (known && known.digest !== hashNote(other, domain)) return { signed: known, other }
  }
  return undefined
}

export function signaturesOf(notes: JournalEntry['set']['notes']): string {
  return notes.map(({ signature }) => signature.r).join()
}

async function lockJournal(path: string, { create }: { readonly create: boolean }): Promise<() => Promise<void>> {
  try {
    if (create) await createLineFile(path)
    // Locking would create the directory of a missing file.
    await access(path)
    return await lockDirectory(path, { inUse: (holder) => inUse(path, holder) })
  } catch (error) {
    throw error instanceof JournalError ? error : cannotOpen(path, error as NodeJS.ErrnoException)
  }
}

/** Reads all notes that count from the lines of a journal. */
export async function readPeriods(lines: AsyncIterable<JournalLine>): Promise<Iterable<JournalImport>> {
  const periods: KnownPeriods = new Map()
  for await (const line of lines) take(periods, line)
  return listPeriods(periods)
}

async function* readEntries(path: string): AsyncGenerator<JournalEntry> {
  for await (const { entry } of readJournal(path)) if (entry) yield entry
}

type KnownPeriods = Map<string, SignedPeriod>

/** Returns false for an incomplete line. */
function take(periods: KnownPeriods, { entry, discard, imported }: JournalLine): boolean {
  if (entry) remember(periods, entry)
  else if (discard) forget(periods, discard)
  else if (imported) bind(periods, imported)
  return Boolean(entry ?? discard ?? imported)
}

function remember(periods: KnownPeriods, { domain, set, digests, isPending }: JournalEntry): void {
  const key = keyOf({ chainId: set.chainId, domain, periodStart: set.period.start })
  const notes = new Map(periods.get(key)?.notes)
  set.notes.forEach(({ maturityTimestamp, tenorDays, coupon }, index) => {
    const known = notes.get(maturityTimestamp)
    // A note of a stored set stays one.
    if (isPending && known && !known.isPending) return
    notes.set(maturityTimestamp, { tenorDays, coupon, digest: digests[index] as Hex, ...(isPending && { isPending }) })
  })
  periods.set(key, { notes, signatures: signaturesOf(set.notes) })
}

/** Keeps what is known of a note: an imported one has the same terms, and no signature. */
function bind(periods: KnownPeriods, { notes: imported, ...of }: JournalImport): void {
  const key = keyOf(of)
  const known = periods.get(key)
  const notes = new Map<bigint, SignedNote>(
    imported.map(({ maturity, ...note }) => [maturity, { ...note, isImported: true }]),
  )
  for (const [maturity, note] of known?.notes ?? []) notes.set(maturity, note)
  periods.set(key, { notes, signatures: known?.signatures ?? '' })
}

function* listPeriods(periods: KnownPeriods): Iterable<JournalImport> {
  for (const [key, { notes }] of periods) {
    const [chainId, verifyingContract, name, version, start] = JSON.parse(key) as [number, Hex, string, string, string]
    const domain = { name, version, verifyingContract }
    const listed = [...notes].map(([maturity, { tenorDays, coupon, digest }]) => {
      return { maturity, tenorDays, coupon, digest }
    })
    yield { chainId, domain, periodStart: BigInt(start), notes: listed }
  }
}

function forget(periods: KnownPeriods, { maturities, ...discard }: JournalDiscard): void {
  const key = keyOf(discard)
  const known = periods.get(key)
  const notes = new Map([...(known?.notes ?? [])].filter(([maturity]) => maturities && !maturities.includes(maturity)))
  if (known && notes.size > 0) periods.set(key, { notes, signatures: '' })
  else periods.delete(key)
}

/** Returns a text for a place. It includes pool and domain: notes of different pools or domains cannot conflict. */
export function keyOf({ chainId, domain, periodStart }: Omit<JournalImport, 'notes'>): string {
  return JSON.stringify([chainId, domain.verifyingContract, domain.name, domain.version, String(periodStart)])
}

function inUse(path: string, { pid, host, folder }: { pid: number; host: string; folder: string }): JournalError {
  const message =
    `The signer journal ${path} is in use by process ${pid} on ${host}. Each replica needs its own journal: ` +
    `set signer.journal in one of the configurations. If no process uses it, delete ${folder}.`
  return new JournalError({ reason: 'journal_failed', message })
}

function cannotOpen(path: string, cause: NodeJS.ErrnoException): JournalError {
  const remedy =
    cause.code === 'ENOENT'
      ? 'Pass the configuration of a replica that has signed notes with --config.'
      : 'Set signer.journal to a file in a directory that this user can write.'
  const message = `The signer journal ${path} cannot be opened (${cause.code ?? cause.message}). ${remedy}`
  return new JournalError({ reason: 'journal_failed', message, cause })
}
