import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Request that changed the chain. Replaying all requests in order results in the same block hashes. */
export type JournalEntry = readonly [method: string, params: readonly unknown[]]

/** File that stores a chain: a header, then one line per change. */
export type Journal = ReturnType<typeof createJournal>

export type JournalContent = {
  readonly header: unknown
  readonly entries: readonly JournalEntry[]
  /** Bytes up to the end of the last whole line. */
  readonly length: number
}

const lineEnd = 0x0a

/** Reads a journal. Returns undefined if the file does not exist. Throws `JournalError` if it cannot be used. */
export function readJournal(path: string): JournalContent | undefined {
  if (!existsSync(path)) return undefined
  const bytes = readFileSync(path)
  // An interrupted write leaves a last line without a line end. That change was never confirmed.
  const length = bytes.lastIndexOf(lineEnd) + 1
  if (length === 0) throw new JournalError(`${path} has no header.`)
  const lines = bytes.toString('utf8', 0, length - 1).split('\n')
  const damaged = (index: number, cause?: unknown) =>
    new JournalError(`${path} is damaged at line ${index + 1}.`, { cause })
  const [header, ...entries] = lines.map((line, index): unknown => {
    try {
      return JSON.parse(line)
    } catch (cause) {
      throw damaged(index, cause)
    }
  })
  const firstOther = entries.findIndex((entry) => !isEntry(entry))
  if (firstOther >= 0) throw damaged(firstOther + 1)
  return { header, entries: entries as readonly JournalEntry[], length }
}

function isEntry(entry: unknown): boolean {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1])
}

/** Opens a new journal and writes its header. */
export function openNewJournal(path: string, header: unknown): Journal {
  const journal = createJournal(openSync(path, 'wx', 0o600), 0)
  journal.append(header)
  return journal
}

/** Opens a journal that was read, to append to it. */
export function resumeJournal(path: string, { length }: JournalContent): Journal {
  const journal = createJournal(openSync(path, 'r+'), length)
  journal.truncate(length)
  return journal
}

/** Writes each line before the change is confirmed, so that a killed process loses no confirmed change. */
function createJournal(file: number, startLength: number) {
  let length = startLength
  return {
    append: (line: unknown) => {
      length += writeSync(file, `${JSON.stringify(line)}\n`, length)
    },
    /** Returns the position for a later `truncate`. */
    length: () => length,
    truncate: (to: number) => {
      ftruncateSync(file, to)
      length = to
    },
    close: () => {
      fsyncSync(file)
      closeSync(file)
    },
  }
}

/** Error of a journal that is damaged or belongs to another chain. */
export class JournalError extends Error {
  override name = 'JournalError' as const
}
