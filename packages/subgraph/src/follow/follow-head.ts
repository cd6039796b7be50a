import { readBlocks } from '@tallystick/chain/rpc/read-blocks'
import type { RpcEndpoint } from '@tallystick/chain/rpc/rpc-endpoint'
import type { ChainContext, Cursor } from './chain-context.ts'
import { type DecodedBlock, decodeLogs } from './decode-logs.ts'
import type { BlockLogs } from './mapping.ts'
import { changed } from './read-range.ts'
import { storeBlocks } from './store-blocks.ts'

type Span = { readonly from: number; readonly to: number; readonly addresses: ReadonlySet<string> }

// One batch of headers and one of logs. Small enough that a reorg between them is rare.
const blocksPerRead = 50

/** Reads and stores every block up to `to`, near the head of the chain. Blocks read together are one transaction. */
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

/** Stores startBlock, with or without logs. Queries for earlier blocks are rejected. */
export async function storeFirst(context: ChainContext): Promise<Cursor> {
  const { startBlock, addresses, pool } = context
  const blocks = await pool.run((endpoint) => readSpan(endpoint, { from: startBlock, to: startBlock, addresses }))
  const stored = await storeBlocks(context, { blocks, head: undefined, isIndexed: false })
  return { stored, position: stored }
}

/**
 * Reads blocks, then their logs by block hash (EIP-234), so that both belong together. For an unknown hash some servers
 * return no logs instead of an error, so the last block is read again: it must be the same.
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
