import { eventTopics } from '@tallystick/contracts/event-topics'
import { isHash, parseQuantity, readBlocks, toQuantity } from '../rpc/read-blocks.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'

/** A `Lend` event of a pool. Addresses and hashes are lower-case 0x hex. */
export type Lend = {
  readonly pool: string
  readonly transactionHash: string
  readonly logIndex: number
  readonly block: number
  /** Time of its block, Unix seconds. */
  readonly timestamp: number
  readonly tokenId: bigint
  readonly maturityTimestamp: bigint
  readonly coupon: bigint
  readonly principal: bigint
}

export type LendRange = { readonly pools: readonly string[]; readonly from: number; readonly to: number }

/** Lends of a range of blocks in their order, and the time of the last block. */
export type LendsRead = { readonly lends: readonly Lend[]; readonly endTimestamp: number }

/**
 * Reads the lends of some blocks. The last block is read before the logs, so that the server has the whole range, and again
 * after them, so that its chain did not change in between. Throws `RpcError`: `refused` if the range is too large for the
 * server, `changed` after a reorganization.
 */
export async function readLends(endpoint: RpcEndpoint, range: LendRange): Promise<LendsRead> {
  const { to } = range
  const [end] = await readBlocks(endpoint, [to])
  const logs = await readLogs(endpoint, range)
  const blocks = [...new Set(logs.map(({ block }) => block))]
  const [endAgain, ...headers] = await readBlocks(endpoint, [to, ...blocks])
  const byNumber = new Map(headers.map((header) => [header.number, header]))
  if (!end || endAgain?.hash !== end.hash) throw changed(to)
  const lends = logs.map(({ blockHash, ...log }): Lend => {
    const header = byNumber.get(log.block)
    if (header?.hash !== blockHash) throw changed(log.block)
    return { ...log, timestamp: header.timestamp }
  })
  lends.sort((a, b) => a.block - b.block || a.logIndex - b.logIndex)
  return { lends, endTimestamp: end.timestamp }
}

type LendLog = Omit<Lend, 'timestamp'> & { readonly blockHash: string }

async function readLogs(endpoint: RpcEndpoint, { pools, from, to }: LendRange): Promise<readonly LendLog[]> {
  const filter = { fromBlock: toQuantity(from), toBlock: toQuantity(to), address: pools, topics: [eventTopics.Lend] }
  try {
    const logs = await endpoint.call({ method: 'eth_getLogs', params: [filter] })
    if (!Array.isArray(logs)) throw malformed('not a list')
    return logs.map((log) => decodeLog(log, { pools, from, to }))
  } catch (error) {
    // Providers report a range that is too large in different ways, so every error of several blocks counts as one.
    const isTooLarge = error instanceof RpcError && ['error', 'timeout'].includes(error.kind) && from < to
    throw isTooLarge ? new RpcError({ kind: 'refused', message: error.message, cause: error }) : error
  }
}

function decodeLog(raw: unknown, { pools, from, to }: LendRange): LendLog {
  const log = (raw ?? {}) as Readonly<Record<string, unknown>>
  const { blockHash, transactionHash, topics, data, address } = log
  if (!isHash(blockHash) || !isHash(transactionHash)) throw malformed('a log without hashes')
  const isLend = Array.isArray(topics) && String(topics[0]).toLowerCase() === eventTopics.Lend
  const words = typeof data === 'string' && /^0x([0-9a-f]{64}){6}$/i.test(data) ? data.slice(2).match(/.{64}/g) : null
  if (!isLend || !words) throw malformed('a log that is not a Lend')
  const block = parseQuantity(log['blockNumber'])
  const pool = String(address).toLowerCase()
  const isAsked = block >= from && block <= to && pools.some((asked) => asked.toLowerCase() === pool)
  if (!isAsked || log['removed'] === true) throw malformed('a log that was not requested')
  const [tokenId, maturityTimestamp, coupon, principal] = words.map((word) => BigInt(`0x${word}`))
  return {
    pool,
    block,
    blockHash: blockHash.toLowerCase(),
    transactionHash: transactionHash.toLowerCase(),
    logIndex: parseQuantity(log['logIndex']),
    tokenId: tokenId as bigint,
    maturityTimestamp: maturityTimestamp as bigint,
    coupon: coupon as bigint,
    principal: principal as bigint,
  }
}

function malformed(what: string): RpcError {
  return new RpcError({ kind: 'malformed', message: `sent an invalid response to eth_getLogs: ${what}` })
}

function changed(block: number): RpcError {
  return new RpcError({ kind: 'changed', message: `changed its chain during the read of block ${block}` })
}
