import type { HeaderWithBloom } from '@tallystick/chain'
import type { ChainContext, Cursor } from './chain-context.ts'
import { changed } from './read-range.ts'
import { readSpan } from './read-span.ts'
import { storeBlocks } from './store-blocks.ts'

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
