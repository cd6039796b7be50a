import { SubgraphError } from '../subgraph-error.ts'

/** `$to` of open versions. No block has this number. Unlike null it needs no special case in comparisons. */
export const openEnd = 2_147_483_647

export type Block = {
  readonly number: number
  /** 0x hex. */
  readonly hash: string
  readonly parentHash: string
  /** Unix seconds. */
  readonly timestamp: number
}

/** Latest block of a store, with the state of its whole index. */
export type Head = Block & {
  /**
   * Increases when stored blocks are reverted or replaced, or the fault changes: two answers of one block can then differ.
   * A block and a revision have one state.
   */
  readonly revision: number
  /** What contradicts the index and is not repaired yet. Undefined if nothing does. */
  readonly fault: string | undefined
}

/** Throws unless `block` can follow `head`. Numbers may be skipped. The parent hash of a consecutive block must match. */
export function assertFollows(head: Block | undefined, block: Block): void {
  assertBlock(block)
  if (!head) return
  if (block.number <= head.number) {
    throw refuse(
      `Block ${block.number} does not follow the head, block ${head.number}. To replace blocks, revert first.`,
    )
  }
  if (block.number === head.number + 1 && block.parentHash.toLowerCase() !== head.hash.toLowerCase()) {
    throw refuse(
      `The parent of block ${block.number} is ${block.parentHash}, but the head, block ${head.number}, is ${head.hash}. Revert to the common block of both chains.`,
    )
  }
}

/** What a writer knows of the head: it loaded entities of that state. */
export type KnownState = { readonly hash: string; readonly revision?: number | undefined }

/** Throws unless `head` is the one that a writer knows: another writer may have changed it. */
export function assertIs(head: Head | undefined, { hash, revision }: KnownState): void {
  if (head && revision !== undefined && head.revision !== revision) {
    throw new SubgraphError({
      code: 'index_replaced',
      message: `The index was replaced or repaired (revision ${head.revision}, not ${revision}). Read the head again.`,
    })
  }
  if (head?.hash === hash.toLowerCase()) return
  throw refuse(
    `The head is ${head ? `block ${head.number}, ${head.hash}` : 'empty'}, not ${hash}. Read the head again.`,
  )
}

function assertBlock({ number, hash, parentHash, timestamp }: Block): void {
  if (!Number.isInteger(number) || number < 0 || number >= openEnd) {
    throw refuse(`The block number ${String(number)} is not an integer from 0 to ${openEnd - 1}.`)
  }
  for (const [name, value] of Object.entries({ hash, parentHash })) {
    if (typeof value !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(value)) {
      throw refuse(`The ${name} of block ${number} is not 0x and hexadecimal digits: ${String(value)}.`)
    }
  }
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) {
    throw refuse(`The timestamp of block ${number} is not in whole Unix seconds: ${String(timestamp)}.`)
  }
}

function refuse(message: string): SubgraphError {
  return new SubgraphError({ code: 'invalid_block', message })
}
