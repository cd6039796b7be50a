import { DamagedLineError, type LineFile, openLineFile, type ReadLine, readLineFile } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { decodeDiscard, type JournalDiscard } from './journal-discard.ts'
import { decodeEntry, type JournalEntry } from './journal-entry.ts'
import { decodeImport, type JournalImport } from './journal-import.ts'

/** Thrown if the journal or the shared protection cannot be used, or contradicts a note. Nothing is signed or published. */
export class JournalError extends TallystickError {
  override readonly name = 'JournalError'
  readonly reason: 'journal_failed' | 'journal_contradicted' | 'protection_failed' | 'protection_contradicted'

  constructor({ reason, message, cause }: { reason: JournalError['reason']; message: string; cause?: unknown }) {
    super({ code: 'journal_unusable', message, retryable: false, cause, details: { reason } })
    this.reason = reason
  }
}

/** Opens the file for appending and truncates it to `length` bytes. Its `append` throws `JournalError`. */
export async function openJournalFile(path: string, length: number): Promise<LineFile> {
  const file = await openLineFile(path, length)
  const append = (bytes: Buffer) =>
    file.append(bytes).catch((error) => {
      throw cannotWrite(path, error)
    })
  return { ...file, append }
}

/** A line and the number of bytes up to its end. With no content: an incomplete last line. */
export type JournalLine = {
  readonly entry?: JournalEntry | undefined
  readonly discard?: JournalDiscard | undefined
  readonly imported?: JournalImport | undefined
  readonly endsAt: number
}

/** Reads the file line by line. Throws `JournalError` at a damaged line. The notes of an incomplete one were never published. */
export async function* readJournal(path: string): AsyncGenerator<JournalLine> {
  const lines: AsyncGenerator<ReadLine<Omit<JournalLine, 'endsAt'>>> = readLineFile(path, decodeLine)
  try {
    for await (const { value, endsAt } of lines) yield { ...value, endsAt }
  } catch (error) {
    throw error instanceof DamagedLineError ? damaged(path, error.lineNumber) : error
  }
}

function decodeLine(line: Buffer): Omit<JournalLine, 'endsAt'> | undefined {
  const entry = decodeEntry(line)
  if (entry) return { entry }
  const discard = decodeDiscard(line)
  if (discard) return { discard }
  const imported = decodeImport(line)
  return imported && { imported }
}

function cannotWrite(path: string, cause: NodeJS.ErrnoException): JournalError {
  const message =
    `the signer journal ${path} cannot be written (${cause.code ?? cause.message}). ` +
    'Nothing is signed without it. Free disk space or correct its permissions. The service retries automatically.'
  return new JournalError({ reason: 'journal_failed', message, cause })
}

function damaged(path: string, lineNumber: number): JournalError {
  const message =
    `Line ${lineNumber} of the signer journal ${path} is damaged or of a newer version. Restore the file from a copy. ` +
    'If there is none, move the file away: the replica then adopts the notes in the database, but may contradict ' +
    'notes that only the lost journal had.'
  return new JournalError({ reason: 'journal_failed', message })
}
