import { eventTopics } from '@tallystick/contracts'
import type { Address } from 'viem'
import { parseQuantity, toQuantity } from '../rpc/read-blocks.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import { RpcError } from '../rpc/rpc-error.ts'

/** Limits of a pool by its last events. A limit without an event in the blocks that were read is missing. */
export type AnnouncedLimits = { readonly maxCouponLimit?: bigint; readonly minMaturityLimit?: bigint }

const limitsByTopic: ReadonlyMap<unknown, keyof AnnouncedLimits> = new Map([
  [eventTopics.MaxCouponLimitUpdated, 'maxCouponLimit'],
  [eventTopics.MinMaturityLimitUpdated, 'minMaturityLimit'],
])

// Logs of newer blocks are read again at the next call, because a reorg may remove them.
const reorgBlocks = 128
// Calls until the history is requested again after a provider failed to return it.
const callsPerHistory = 20

/**
 * Creates a function that reads a pool's limits from its logs: the whole history from `startBlock` at the first call, later
 * only new blocks. While a provider rejects the range of the history, only new blocks are read. While it rejects those
 * too, the limits are unknown.
 */
export function createReadLimitLogs(
  pool: Address,
  startBlock = 0,
): (endpoint: RpcEndpoint) => Promise<AnnouncedLimits> {
  let settled: AnnouncedLimits = {}
  let fromBlock: number | undefined
  let hasHistory = false
  let callsToHistory = 0
  const read = (endpoint: RpcEndpoint, from: number, to: number) => readChanges(endpoint, { pool, from, to })
  const readHistory = async (endpoint: RpcEndpoint, head: number) => {
    if (hasHistory || callsToHistory-- > 0) return undefined
    callsToHistory = callsPerHistory
    return read(endpoint, startBlock, head).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error
      return undefined
    })
  }
  return async (endpoint) => {
    const head = await readHead(endpoint)
    if (head < (fromBlock ?? startBlock)) return settled
    const settledTo = head - reorgBlocks
    const history = await readHistory(endpoint, head)
    if (history) hasHistory = true
    const tailFrom = fromBlock ?? Math.max(startBlock, settledTo + 1)
    const changes = history ?? (await read(endpoint, tailFrom, head).catch(toUnknown))
    // A change may be in blocks whose logs the provider refuses, so what was known may be wrong.
    if (!changes) return {}
    settled = apply(
      settled,
      changes.filter(({ block }) => block <= settledTo),
    )
    fromBlock = Math.max(fromBlock ?? startBlock, settledTo + 1)
    return apply(settled, changes)
  }
}

function toUnknown(error: unknown): undefined {
  if (error instanceof RpcError && (error.kind === 'error' || error.kind === 'refused')) return undefined
  throw error
}

async function readHead(endpoint: RpcEndpoint): Promise<number> {
  return parseQuantity(await endpoint.call({ method: 'eth_blockNumber', params: [] }))
}

type LimitChange = { readonly block: number; readonly limit: keyof AnnouncedLimits; readonly value: bigint }

function apply(limits: AnnouncedLimits, changes: readonly LimitChange[]): AnnouncedLimits {
  return { ...limits, ...Object.fromEntries(changes.map(({ limit, value }) => [limit, value])) }
}

type LogRange = { readonly pool: Address; readonly from: number; readonly to: number }

async function readChanges(endpoint: RpcEndpoint, range: LogRange): Promise<readonly LimitChange[]> {
  const topics = [[...limitsByTopic.keys()]]
  const filter = { address: range.pool, topics, fromBlock: toQuantity(range.from), toBlock: toQuantity(range.to) }
  const logs = await endpoint.call({ method: 'eth_getLogs', params: [filter] })
  // No logs would mean that no limit was announced.
  if (!Array.isArray(logs)) throw malformed('not a list')
  return logs.map((log) => decodeLog(log, range))
}

function decodeLog(log: unknown, { pool, from, to }: LogRange): LimitChange {
  const { topics, data, address, blockNumber, removed } = (log ?? {}) as Readonly<Record<string, unknown>>
  const limit = Array.isArray(topics) ? limitsByTopic.get(String(topics[0]).toLowerCase()) : undefined
  if (!limit || typeof data !== 'string' || !/^0x[0-9a-f]{64}$/i.test(data)) throw malformed('a log that is no limit')
  const block = parseQuantity(blockNumber)
  const isRequested = block >= from && block <= to && String(address).toLowerCase() === pool.toLowerCase()
  if (!isRequested || removed === true) throw malformed('a log that was not requested')
  return { block, limit, value: BigInt(data) }
}

function malformed(what: string): RpcError {
  return new RpcError({ kind: 'malformed', message: `sent an invalid response to eth_getLogs: ${what}` })
}
