import type { Block } from '../store/block.ts'
import type { ChainContext } from './chain-context.ts'
import type { BlockLogs } from './mapping.ts'

/** Maps blocks and stores them on a head in one transaction; returns the new head. */
export async function storeBlocks(
  { subgraph, mapping, onStored }: ChainContext,
  {
    blocks,
    head,
    isIndexed,
  }: {
    readonly blocks: readonly BlockLogs[]
    readonly head: Block | undefined
    readonly isIndexed: boolean
  },
): Promise<Block> {
  const changes = await mapping.map(blocks, (entity, ids) => subgraph.load(entity, ids))
  // The state the mapping has seen must be the one its changes go onto.
  await subgraph.commitMany(changes, { after: head?.hash, isIndexed })
  onStored(blocks.reduce((sum, { logs }) => sum + logs.length, 0))
  return (blocks.at(-1) as BlockLogs).block
}
