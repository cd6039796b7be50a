import type { Block } from '../store/block.ts'
import type { ChainContext } from './chain-context.ts'
import type { BlockLogs } from './mapping.ts'

/** Maps blocks and stores them after `head` in one transaction. Returns the new head. */
export async function storeBlocks(
  { subgraph, mapping, pool, onStored, report }: ChainContext,
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
  // Before the mapping loads entities: if the index is replaced meanwhile, they are those of the old one.
  const revision = subgraph.head?.revision
  const changes = await mapping.map(blocks, subgraph.load, pool.run, report)
  // Refused if another process changed the state that the mapping loaded.
  await subgraph.commitMany(changes, { after: head?.hash, revision, isIndexed })
  onStored(blocks.reduce((sum, { logs }) => sum + logs.length, 0))
  return (blocks.at(-1) as BlockLogs).block
}
