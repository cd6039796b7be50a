import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { decodeDiscard, type JournalDiscard } from './journal-discard.ts'
import { decodeEntry, type JournalEntry } from './journal-entry.ts'

/** Thrown if the journal cannot be read or written, or contradicts a note. Nothing is signed or published. */
export class JournalError extends TallystickError {
  override readonly name = 'JournalError'
  readonly reason: 'journal_failed' | 'journal_contradicted'

  constructor({ reason, message, cause }: { reason: JournalError['reason']; message: string; cause?: unknown }) {
    super({ code: 'journal_unusable', message, retryable: false, cause, details: { reason } })
    this.reason = reason
  }
}

export type JournalFile = {
  /** Resolves once the bytes are on disk. After a failure, the next call overwrites the incomplete bytes. */
  append(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

/** Opens the file for appending and truncates it to `length` bytes. */
export async function openJournalFile(path: string, length: number): Promise<JournalFile> {
  const handle = await open(path, 'r+')
  let validLength = length
  let hasIncompleteBytes = false
  const append = async (bytes: Buffer) => {
    await assertInPlace(handle, path)
    if (hasIncompleteBytes) await handle.truncate(validLength)
    hasIncompleteBytes = true
    await writeAll(handle, { bytes, position: validLength })
    await handle.sync()
    validLength += bytes.length
    hasIncompleteBytes = false
  }
  await handle.truncate(length)
  let last: Promise<void> = Promise.resolve()
  return {
    append: (bytes) => {
      const appended = last.then(() => append(bytes))
      last = appended.catch(() => undefined)
      return appended.catch((error) => {
        throw cannotWrite(path, error)
      })
    },
    close: async () => {
      await last
      await handle.close()
    },
  }
}

/** Creates the file and its directory if missing, accessible to this user only. Returns whether the file was missing. */
export async function createJournalFile(path: string): Promise<boolean> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const handle = await open(path, 'ax', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined
    throw error
  })
  if (!handle) return false
  await handle.sync()
  await handle.close()
  const folder = await open(directory, 'r')
  // Without this, a power failure may lose the directory entry even if the content was synced.
  await folder.sync().finally(() => folder.close())
  return true
}

/** A line and the number of bytes up to its end. With neither entry nor discard: an incomplete last line. */
export type JournalLine = {
  readonly entry?: JournalEntry | undefined
  readonly discard?: JournalDiscard | undefined
  readonly endsAt: number
}

/**
 * Reads the file line by line. Throws at a damaged line. An incomplete last line, without a line break or with NUL bytes,
 * is not damage: the append was interrupted before its sync, so its notes were never published.
 */
export async function* readJournal(path: string): AsyncGenerator<JournalLine> {
  let endsAt = 0
  let lineNumber = 0
  let incompleteLine: number | undefined
  for await (const line of splitLines(createReadStream(path))) {
    lineNumber += 1
    if (incompleteLine !== undefined) throw damaged(path, incompleteLine)
    const decoded = line.at(-1) === lineBreak ? decodeLine(line.subarray(0, -1)) : undefined
    if (decoded) {
      endsAt += line.length
      yield { ...decoded, endsAt }
    } else if (line.at(-1) !== lineBreak || line.includes(0)) incompleteLine = lineNumber
    else throw damaged(path, lineNumber)
  }
  if (incompleteLine !== undefined) yield { endsAt }
}

const lineBreak = 0x0a

/** Splits a stream into lines, each with its line break. The last may have none. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(lineBreak); end >= 0; end = rest.indexOf(lineBreak)) {
      yield rest.subarray(0, end + 1)
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield rest
}

function decodeLine(line: Buffer): Omit<JournalLine, 'endsAt'> | undefined {
  try {
    const entry = decodeEntry(line)
    if (entry) return { entry }
    const discard = decodeDiscard(line)
    return discard && { discard }
  } catch {
    return undefined
  }
}

async function writeAll(
  handle: FileHandle,
  { bytes, position }: { readonly bytes: Buffer; readonly position: number },
): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

/** Throws if the file was deleted or replaced, because written data would be lost at the next start. */
async function assertInPlace(handle: FileHandle, path: string): Promise<void> {
  const [mine, found] = await Promise.all([handle.stat(), stat(path)])
  if (mine.ino === found.ino && mine.dev === found.dev) return
  throw new Error('the file was replaced while the service runs; restore it, or restart the service')
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
