import {
  createLineFile,
  DamagedLineError,
  decodeChecksumLine,
  encodeChecksumLine,
  openLineFile,
  readLineFile,
} from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { lockDirectory } from '@tallystick/database'
import { createMerkleTree, type MerkleTree } from '@tallystick/tlog'
import { z } from 'zod'
import { hashLeaf, hashNodes } from './hash-nodes.ts'
import { loadTree, saveTree } from './leaf-file.ts'

/** A file on this replica's disk with every entry that it showed to the public. It survives a restore of the database. */
export type LogJournal = {
  /** The entries as a tree. */
  readonly tree: Omit<MerkleTree, 'append'>
  /** Appends the lines of the next entries. Resolves once they are on disk. */
  append(lines: readonly string[]): Promise<void>
  /** Reads the lines of all entries from the file, in their order. */
  lines(): AsyncGenerator<string>
  close(): Promise<void>
}

const lineSchema = z.strictObject({ index: z.int().min(0), entry: z.string().min(1) })

/** Opens the journal of the public log, creates it if missing, and locks it against other processes. */
export async function openLogJournal(path: string): Promise<LogJournal> {
  await createLineFile(path)
  const unlock = await lockDirectory(path, { inUse: (holder) => inUse(path, holder) })
  try {
    return await readAndOpen(path, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

async function readAndOpen(path: string, unlock: () => Promise<void>): Promise<LogJournal> {
  const loaded = await loadTree(path)
  const { tree, length } = loaded ?? (await readTree(path))
  const file = await openLineFile(path, length)
  await saveTree(path, { tree, from: loaded ? tree.size : 0 })
  return {
    tree,
    append: async (lines) => {
      const from = tree.size
      const encoded = lines.map((entry, at) => encodeChecksumLine({ index: from + at, entry }))
      await file.append(Buffer.concat(encoded))
      for (const line of lines) tree.append(hashLeaf(line))
      await saveTree(path, { tree, from })
    },
    lines: () => readEntryLines(path),
    close: async () => {
      await file.close()
      await unlock()
    },
  }
}

async function readTree(path: string): Promise<{ readonly tree: MerkleTree; readonly length: number }> {
  const tree = createMerkleTree(hashNodes)
  let length = 0
  for await (const { value, endsAt } of readLines(path)) {
    length = endsAt
    if (value) tree.append(hashLeaf(value.entry))
  }
  return { tree, length }
}

/** Counts the entries of a journal without a lock: a service may have it open. A missing file has none. */
export async function countJournalEntries(path: string): Promise<number> {
  let count = 0
  try {
    for await (const { value } of readLines(path)) if (value) count += 1
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return count
}

async function* readEntryLines(path: string): AsyncGenerator<string> {
  for await (const { value } of readLines(path)) if (value) yield value.entry
}

async function* readLines(path: string) {
  let expected = 0
  const decode = (line: Buffer) => {
    const parsed = lineSchema.safeParse(decodeChecksumLine(line))
    return parsed.success && parsed.data.index === expected ? parsed.data : undefined
  }
  try {
    for await (const line of readLineFile(path, decode)) {
      expected += 1
      yield line
    }
  } catch (error) {
    throw error instanceof DamagedLineError ? damaged(path, error.lineNumber) : error
  }
}

function inUse(path: string, { pid, host, folder }: { pid: number; host: string; folder: string }): TallystickError {
  return unusable(
    `The log journal ${path} is in use by process ${pid} on ${host}. Each replica needs its own journal: set log.journal ` +
      `in one of the configurations. If no process uses it, delete ${folder}.`,
  )
}

function damaged(path: string, lineNumber: number): TallystickError {
  return unusable(
    `Line ${lineNumber} of the log journal ${path} is damaged or of a newer version. Restore the file from a copy. ` +
      'If there is none, move the file away: the replica then copies the log from the database, but does not notice if ' +
      'the database was restored.',
  )
}

function unusable(message: string): TallystickError {
  return new TallystickError({ code: 'journal_unusable', message, retryable: false })
}
