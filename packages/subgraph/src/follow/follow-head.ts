import type { HeaderWithBloom } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import type { BlockLogs } from './mapping.ts'
import { changed } from './read-range.ts'
import { readSpan } from './read-span.ts'

// One batch of headers and one of logs, which also reads the last block. Small enough that a reorg between them is rare.
export const blocksPerRead = 49

/** Reads and stores every block up to `latest`, near the head of the chain. Blocks read together are one transaction. */
export async function followHead(
  context: ChainContext,
  { cursor, latest }: { readonly cursor: Cursor; readonly latest: HeaderWithBloom },
): Promise<Cursor> {
  let { stored, position } = cursor
  const to = latest.header.number
  while (position.number < to && !context.isOver()) {
    const from = position.number + 1
    const span = { from, to: Math.min(to, from + blocksPerRead - 1), contracts: context, last: latest }
    const blocks = await context.pool.run((endpoint) => readSpan(endpoint, span))
    if (blocks[0]?.block.parentHash !== position.hash) throw changed(from)
    stored = await storeBlocks(context, { blocks, head: stored, isIndexed: true })
    position = stored
  }
  return { stored, position }
}

/** Stores startBlock, with or without logs. Queries for earlier blocks are rejected. */
export async function storeFirst(context: ChainContext): Promise<Cursor> {
  const { startBlock, pool } = context
  const span = { from: startBlock, to: startBlock, contracts: context }
  const blocks = await pool.run((endpoint) => readSpan(endpoint, span))
  const stored = await storeBlocks(context, { blocks, head: undefined, isIndexed: false })
  return { stored, position: stored }
}

type NewBlocks = {
  readonly blocks: readonly BlockLogs[]
  readonly head: Block | undefined
  readonly isIndexed: boolean
}

/** Maps blocks and stores them after `head` in one transaction. Returns the new head. */
export async function storeBlocks(
  { subgraph, mapping, pool, onStored, report }: ChainContext,
  { blocks, head, isIndexed }: NewBlocks,
): Promise<Block> {
  // Before the mapping loads entities: if the index is replaced meanwhile, they are those of the old one.
  const revision = subgraph.head?.revision
  const changes = await mapping.map(blocks, subgraph.loadAfter, pool.run, report)
  // Refused if another process changed the state that the mapping loaded.
  await subgraph.commitMany(changes, { after: head?.hash, revision, isIndexed })
  onStored(blocks.reduce((sum, { logs }) => sum + logs.length, 0))
  return (blocks.at(-1) as BlockLogs).block
}
