import type { Database, Queryable } from '@tallystick/database'
import { createMerkleTree, equalBytes, rootOf } from '@tallystick/tlog'
import { findAlteredRows } from './find-altered-rows.ts'
import { countEntries, findCheckpoint, MissingEntriesError, readLeaves } from './log-store.ts'

/** State of the public log in the database. */
export type LogReport = {
  /** Number of entries, also of those that no checkpoint covers yet. */
  readonly entries: number
  /** The newest checkpoint, or null before the first. */
  readonly checkpoint: { readonly size: number; readonly note: string } | null
  /** Whether the entries have the root that the checkpoint signs. */
  readonly isRootValid: boolean
  /** Rows that differ from their entries. */
  readonly alteredRows: readonly string[]
}

const rangeSize = 256

/** Verifies the whole log in the database: the root of its entries, and every row that belongs to one. */
export async function reportLog(database: Database): Promise<LogReport> {
  const checkpoint = await findCheckpoint(database)
  const entries = await countEntries(database)
  const size = checkpoint?.size ?? 0
  const tree = await readTree(database, size)
  const isRootValid = tree !== undefined && (!checkpoint || equalBytes(rootOf(size, tree.readNode), checkpoint.root))
  const alteredRows: string[] = []
  for (let from = 0; tree && from < size; from += rangeSize) {
    const range = { from, to: Math.min(size, from + rangeSize) }
    const found = await database.snapshot((snapshot) => findAlteredRows(snapshot, { tree, range }))
    alteredRows.push(...found.map(({ message }) => message))
  }
  const shown = checkpoint ? { size, note: checkpoint.note } : null
  return { entries, checkpoint: shown, isRootValid, alteredRows }
}

async function readTree(database: Queryable, size: number) {
  try {
    const tree = createMerkleTree()
    for (const leaf of await readLeaves(database, { from: 0, to: size })) tree.append(leaf)
    return tree
  } catch (error) {
    if (error instanceof MissingEntriesError) return undefined
    throw error
  }
}
