import { open, rm, stat } from 'node:fs/promises'
import { createMerkleTree, equalBytes, hashBytes, type MerkleTree, rootOf, tileAt, tileWidth } from '@tallystick/tlog'
import { hashNodes } from './hash-nodes.ts'

/** Tree of a journal, and the bytes of the journal that it covers. */
export type LoadedTree = { readonly tree: MerkleTree; readonly length: number }

// The file has the leaves of a journal after a head: inode, size and time of change of the journal, number of leaves, root.
const factBytes = 24
const headBytes = factBytes + 8 + hashBytes
// Appending so many leaves takes 2 ms.
const sliceBytes = 1_024 * hashBytes

/**
 * Loads the tree of a journal from the file of its leaves, next to it. Returns undefined if the journal was changed since, if
 * the leaves do not have the root that is stored with them, or if the file cannot be read. Then the journal must be read.
 */
export async function loadTree(journalPath: string): Promise<LoadedTree | undefined> {
  const handle = await open(pathOf(journalPath)).catch(() => undefined)
  if (!handle) return undefined
  try {
    const { facts, length } = await readFacts(journalPath)
    const head = Buffer.alloc(headBytes)
    await handle.read(head, 0, headBytes, 0)
    if (!head.subarray(0, factBytes).equals(facts)) return undefined
    const count = Number(head.readBigUInt64LE(factBytes))
    const tree = createMerkleTree(hashNodes)
    const slice = Buffer.alloc(sliceBytes)
    while (tree.size < count) {
      const wanted = Math.min(sliceBytes, (count - tree.size) * hashBytes)
      const { bytesRead } = await handle.read(slice, 0, wanted, headBytes + tree.size * hashBytes)
      if (bytesRead < wanted) return undefined
      for (let at = 0; at < wanted; at += hashBytes) tree.append(slice.subarray(at, at + hashBytes))
    }
    return equalBytes(rootOf(count, tree.readNode), head.subarray(factBytes + 8)) ? { tree, length } : undefined
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}

/**
 * Saves the leaves from `from` on, and that they are those of the journal as it is now. Call it after each write of the journal,
 * which is otherwise read at the next start. Never throws: without the file a start only takes longer.
 */
export async function saveTree(
  journalPath: string,
  { tree, from }: { readonly tree: MerkleTree; readonly from: number },
): Promise<void> {
  const path = pathOf(journalPath)
  try {
    const { facts } = await readFacts(journalPath)
    const count = Buffer.alloc(8)
    count.writeBigUInt64LE(BigInt(tree.size))
    const handle = await open(path, from === 0 ? 'w' : 'r+', 0o600)
    try {
      for (let index = Math.floor(from / tileWidth); index * tileWidth < tree.size; index++) {
        const leaves = tree.readTile(tileAt({ level: 0, index }, tree.size))
        await handle.write(leaves, 0, leaves.length, headBytes + index * tileWidth * hashBytes)
      }
      const head = Buffer.concat([facts, count, rootOf(tree.size, tree.readNode)])
      await handle.write(head, 0, headBytes, 0)
    } finally {
      await handle.close()
    }
  } catch {
    await rm(path, { force: true }).catch(() => undefined)
  }
}

function pathOf(journalPath: string): string {
  return `${journalPath}.leaves`
}

async function readFacts(journalPath: string): Promise<{ readonly facts: Buffer; readonly length: number }> {
  const { ino, size, mtimeNs } = await stat(journalPath, { bigint: true })
  const facts = Buffer.alloc(factBytes)
  for (const [at, fact] of [ino, size, mtimeNs].entries()) facts.writeBigUInt64LE(BigInt.asUintN(64, fact), at * 8)
  return { facts, length: Number(size) }
}
