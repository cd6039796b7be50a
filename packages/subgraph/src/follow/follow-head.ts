import type { RpcEndpoint } from '@tallystick/chain'
import type { ChainContext, Cursor } from './chain-context.ts'
import { type DecodedBlock, decodeLogs } from './decode-logs.ts'
import type { BlockLogs } from './mapping.ts'
import { readBlocks } from './read-chain.ts'
import { changed } from './read-range.ts'
import { storeBlocks } from './store-blocks.ts'

type Span = { readonly from: number; readonly to: number; readonly addresses: ReadonlySet<string> }

// Two requests of headers and logs: small enough that the chain rarely changes meanwhile.
const blocksPerRead = 50

/** Reads and stores every block up to one near the head, each on its parent. Blocks read together are one transaction. */
export async function followHead(
  context: ChainContext,
  { cursor, to }: { readonly cursor: Cursor; readonly to: number },
): Promise<Cursor> {
  let { stored, position } = cursor
  while (position.number < to && !context.isOver()) {
    const from = position.number + 1
    const span = { from, to: Math.min(to, from + blocksPerRead - 1), addresses: context.addresses }
    const blocks = await context.pool.run((endpoint) => readSpan(endpoint, span))
    if (blocks[0]?.block.parentHash !== position.hash) throw changed(from)
    stored = await storeBlocks(context, { blocks, head: stored, isIndexed: true })
    position = stored
  }
  return { stored, position }
}

/** Stores the block everything begins with, whatever is in it: queries for blocks before the earliest are refused. */
export async function storeFirst(context: ChainContext): Promise<Cursor> {
  const { startBlock, addresses, pool } = context
  const blocks = await pool.run((endpoint) => readSpan(endpoint, { from: startBlock, to: startBlock, addresses }))
  const stored = await storeBlocks(context, { blocks, head: undefined, isIndexed: false })
  return { stored, position: stored }
}

/**
 * Reads blocks and then their logs by hash (EIP-234), so that the logs are of these very blocks. Some servers have no
 * logs, rather than an error, for a hash they no longer know: so the last block must still be the same afterwards.
 */
async function readSpan(endpoint: RpcEndpoint, { from, to, addresses }: Span): Promise<readonly BlockLogs[]> {
  const blocks = await readBlocks(
    endpoint,
    Array.from({ length: to - from + 1 }, (_, index) => from + index),
  )
  const address = [...addresses]
  const answers = await endpoint.callMany(
    blocks.map(({ hash }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, address }] })),
  )
  const [last] = await readBlocks(endpoint, [to])
  if (last?.hash !== blocks.at(-1)?.hash) throw changed(to)
  return blocks.map((block, index) => {
    const parent = blocks[index - 1]
    if (parent && parent.hash !== block.parentHash) throw changed(block.number)
    const decoded = decodeLogs(answers[index], { from: block.number, to: block.number, addresses })
    return { block, logs: logsOf(decoded, block.hash) }
  })
}

function logsOf([decoded]: readonly DecodedBlock[], hash: string): BlockLogs['logs'] {
  if (decoded && decoded.hash !== hash) throw changed(decoded.number)
  return decoded?.logs ?? []
}
