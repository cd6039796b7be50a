import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { decodeDiscard, type JournalDiscard } from './journal-discard.ts'
import { decodeEntry, type JournalEntry } from './journal-entry.ts'

/** The journal cannot be read or written, or it has other terms: nothing is signed or published. */
export class JournalError extends TallystickError {
  override readonly name = 'JournalError'
  readonly reason: 'journal_failed' | 'journal_contradicted'

  constructor({ reason, message, cause }: { reason: JournalError['reason']; message: string; cause?: unknown }) {
    super({ code: 'journal_unusable', message, retryable: false, cause, details: { reason } })
    this.reason = reason
  }
}

export type JournalFile = {
  /** Resolves once the bytes are on the disk. After a failure the next call begins where the last good one ended. */
  append(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

/** Opens the file for appending behind its first `length` bytes, which are good. The rest is cut off. */
export async function openJournalFile(path: string, length: number): Promise<JournalFile> {
  const handle = await open(path, 'r+')
  let goodLength = length
  let hasRest = false
  const append = async (bytes: Buffer) => {
    await assertInPlace(handle, path)
    if (hasRest) await handle.truncate(goodLength)
    hasRest = true
    await writeAll(handle, { bytes, position: goodLength })
    await handle.sync()
    goodLength += bytes.length
    hasRest = false
  }
  await handle.truncate(length)
  let last: Promise<void> = Promise.resolve()
  return {
    append: (bytes) => {
      const turn = last.then(() => append(bytes))
      last = turn.catch(() => undefined)
      return turn.catch((error) => {
        throw cannotWrite(path, error)
      })
    },
    close: async () => {
      await last
      await handle.close()
    },
  }
}

/** Makes the file and its directory if they are missing, for this user alone. Returns whether the file was missing. */
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
  // Without this the file's name may be lost with the power, however often its content was synced.
  await folder.sync().finally(() => folder.close())
  return true
}

/** What a line says and the number of bytes up to its end; without either the rest of the file, which was never finished. */
export type JournalLine = {
  readonly entry?: JournalEntry | undefined
  readonly discard?: JournalDiscard | undefined
  readonly endsAt: number
}

/**
 * Reads the file line by line. Throws at a damaged line. The end of an append that was interrupted is not damage: it has
 * no line break, or NUL bytes where the disk had not written yet. Its sync never returned, so its notes never left.
 */
export async function* readJournal(path: string): AsyncGenerator<JournalLine> {
  let endsAt = 0
  let lineNumber = 0
  let torn: number | undefined
  for await (const line of splitLines(createReadStream(path))) {
    lineNumber += 1
    if (torn !== undefined) throw damaged(path, torn)
    const decoded = line.at(-1) === lineBreak ? decodeLine(line.subarray(0, -1)) : undefined
    if (decoded) {
      endsAt += line.length
      yield { ...decoded, endsAt }
    } else if (line.at(-1) !== lineBreak || line.includes(0)) torn = lineNumber
    else throw damaged(path, lineNumber)
  }
  if (torn !== undefined) yield { endsAt }
}

const lineBreak = 0x0a

/** The chunks of a stream as lines, each with its line break; the last may have none. */
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

/** What is written to a file that was deleted or replaced is not there at the next start. */
async function assertInPlace(handle: FileHandle, path: string): Promise<void> {
  const [mine, found] = await Promise.all([handle.stat(), stat(path)])
  if (mine.ino === found.ino && mine.dev === found.dev) return
  throw new Error('it was replaced while the service runs; put it back, or restart the service')
}

function cannotWrite(path: string, cause: NodeJS.ErrnoException): JournalError {
  const message =
    `the signer journal ${path} cannot be written (${cause.code ?? cause.message}). ` +
    'Nothing is signed without it. Make room or correct its permissions. The service retries automatically.'
  return new JournalError({ reason: 'journal_failed', message, cause })
}

function damaged(path: string, lineNumber: number): JournalError {
  const message =
    `Line ${lineNumber} of the signer journal ${path} is damaged or of a newer version, so it is not known what was signed. ` +
    'Restore the file from a copy. If there is none, move it away: the replica then adopts the notes in the database, ' +
    'and is no longer protected from contradicting those it signed before.'
  return new JournalError({ reason: 'journal_failed', message })
}
