import { type RpcEndpoint, RpcError, readLatest } from '@tallystick/chain'
import type { Block } from '../store/block.ts'
import { SubgraphError } from '../subgraph-error.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import { blocksPerRead } from './follow-head.ts'
import type { BlockLogs } from './mapping.ts'
import { linkParents, readWidest } from './read-range.ts'
import { readSpan } from './read-span.ts'

// They are in memory until they are stored. A rebuild reads more.
const logsMax = 200_000

/**
 * Reads all blocks from a number on again, and replaces the stored ones in one transaction. Each attempt begins with another
 * endpoint than the one before, and the first with another than the follower prefers.
 */
export async function repairIndex(
  context: ChainContext,
  { from: wanted, attempt }: { readonly from: number | undefined; readonly attempt: number },
): Promise<Cursor> {
  const { subgraph, mapping, pool, report } = context
  const first = await subgraph.findFirstBlock()
  const from = Math.max(wanted ?? 0, first?.number ?? context.startBlock)
  const before = await subgraph.findBlockAt(from - 1)
  const blocks = await pool.run((endpoint) => readAgain(endpoint, { context, from, before }), { startAt: attempt + 1 })
  await subgraph.replace(from - 1, (load) => mapping.map(blocks, load, pool.run, report))
  const stored = (blocks.at(-1) as BlockLogs).block
  return { stored, position: stored }
}

async function readAgain(
  endpoint: RpcEndpoint,
  {
    context,
    from,
    before,
  }: { readonly context: ChainContext; readonly from: number; readonly before: Block | undefined },
): Promise<readonly BlockLogs[]> {
  const { addresses, sizer, isOver } = context
  const latest = await readLatest(endpoint)
  const wanted = Math.max(from, context.subgraph.head?.number ?? 0)
  if (latest.number < wanted) {
    throw new RpcError({ kind: 'behind', message: `is at block ${latest.number}, and block ${wanted} is read again` })
  }
  const deep = latest.number - context.maxReorgDepth
  const blocks: BlockLogs[] = []
  let next = from
  let count = 0
  const add = (read: readonly BlockLogs[]) => {
    const link = blocks.at(-1)?.block ?? before
    blocks.push(...(link ? linkParents(read, link) : read))
    for (const { logs } of read) count += logs.length
    if (count > logsMax) throw tooMany(from)
  }
  // The first block of an index is stored even without logs.
  if (!before) {
    add(await readSpan(endpoint, { from, to: from, contracts: context }))
    next += 1
  }
  while (next <= deep) {
    const range = await readWidest(endpoint, { from: next, to: deep, addresses, sizer, isOver })
    add(range.blocks)
    next = range.end.number + 1
  }
  while (next <= latest.number) {
    const to = Math.min(latest.number, next + blocksPerRead - 1)
    add(await readSpan(endpoint, { from: next, to, contracts: context }))
    next = to + 1
  }
  return blocks
}

function tooMany(from: number): SubgraphError {
  const message = `The blocks from ${from} on have more than ${logsMax} logs, too many for a repair. Run \`tallystick index rebuild\`.`
  return new SubgraphError({ code: 'range_too_large', message })
}
