import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from './sync-directory.ts'

/** File of lines that only grows and survives a crash. */
export type LineFile = {
  /** Resolves once the bytes are on disk. After a failure, the next call overwrites the incomplete bytes. */
  append(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

/** Opens the file for appending and truncates it to `length` bytes. */
export async function openLineFile(path: string, length: number): Promise<LineFile> {
  const handle = await open(path, 'r+')
  let validLength = length
  let hasIncompleteBytes = false
  const append = async (bytes: Buffer) => {
    await assertInPlace(handle, path)
    if (hasIncompleteBytes) await handle.truncate(validLength)
    hasIncompleteBytes = true
    // After a power failure, any part of unsynced lines may be NUL. The first byte of several lines is written last, so that
    // `readLineFile` can tell that from damage.
    const held = bytes.indexOf(lineBreak) < bytes.length - 1 ? 1 : 0
    await writeAll(handle, { bytes: bytes.subarray(held), position: validLength + held })
    await handle.sync()
    if (held > 0) {
      await writeAll(handle, { bytes: bytes.subarray(0, held), position: validLength })
      await handle.sync()
    }
    validLength += bytes.length
    hasIncompleteBytes = false
  }
  await handle.truncate(length)
  let last: Promise<void> = Promise.resolve()
  return {
    append: (bytes) => {
      const appended = last.then(() => append(bytes))
      last = appended.catch(() => undefined)
      return appended
    },
    close: async () => {
      await last
      await handle.close()
    },
  }
}

/** Creates the file and its directory if missing, accessible to this user only. Returns whether the file was missing. */
export async function createLineFile(path: string): Promise<boolean> {
  const directory = dirname(path)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const handle = await open(path, 'ax', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined
    throw error
  })
  if (!handle) return false
  await handle.sync()
  await handle.close()
  await syncDirectory(directory)
  return true
}

/** A decoded line and the number of bytes up to its end. Without a value: an incomplete last line. */
export type ReadLine<Value> = { readonly value?: Value | undefined; readonly endsAt: number }

/** Thrown at a line that is complete and cannot be decoded. */
export class DamagedLineError extends Error {
  override readonly name = 'DamagedLineError'
  readonly lineNumber: number

  constructor(lineNumber: number) {
    super(`line ${lineNumber} is damaged`)
    this.lineNumber = lineNumber
  }
}

/**
 * Reads the file line by line. `decode` gets a line without its line break and returns undefined if it is damaged; then this
 * throws `DamagedLineError`. An incomplete last line, without a line break or with NUL bytes, is not damage, and neither is
 * the rest of the file after a line that begins with a NUL byte: the append was interrupted before its sync.
 */
export async function* readLineFile<Value>(
  path: string,
  decode: (line: Buffer) => Value | undefined,
): AsyncGenerator<ReadLine<Value>> {
  let endsAt = 0
  let lineNumber = 0
  let incompleteLine: number | undefined
  for await (const line of splitLines(createReadStream(path))) {
    lineNumber += 1
    if (incompleteLine !== undefined) throw new DamagedLineError(incompleteLine)
    if (line[0] === 0) return yield { endsAt }
    const value = line.at(-1) === lineBreak ? decode(line.subarray(0, -1)) : undefined
    if (value !== undefined) {
      endsAt += line.length
      yield { value, endsAt }
    } else if (line.at(-1) !== lineBreak || line.includes(0)) incompleteLine = lineNumber
    else throw new DamagedLineError(lineNumber)
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
