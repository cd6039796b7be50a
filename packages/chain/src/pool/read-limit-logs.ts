import { eventTopics } from '@tallystick/contracts'
import { type Address, toHex } from 'viem'
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
  const head = Number(await endpoint.call({ method: 'eth_blockNumber', params: [] }))
  if (Number.isSafeInteger(head)) return head
  throw new RpcError({ kind: 'malformed', message: 'responded to eth_blockNumber with a value that is not a number' })
}

type LimitChange = { readonly block: number; readonly limit: keyof AnnouncedLimits; readonly value: bigint }

function apply(limits: AnnouncedLimits, changes: readonly LimitChange[]): AnnouncedLimits {
  return { ...limits, ...Object.fromEntries(changes.map(({ limit, value }) => [limit, value])) }
}

async function readChanges(
  endpoint: RpcEndpoint,
  { pool, from, to }: { readonly pool: Address; readonly from: number; readonly to: number },
): Promise<readonly LimitChange[]> {
  const topics = [[...limitsByTopic.keys()]]
  const filter = { address: pool, topics, fromBlock: toHex(from), toBlock: toHex(to) }
  const logs = await endpoint.call({ method: 'eth_getLogs', params: [filter] })
  return (Array.isArray(logs) ? logs : []).flatMap(decodeLog)
}

function decodeLog(log: unknown): LimitChange[] {
  const { topics, data, blockNumber } = (log ?? {}) as Readonly<Record<string, unknown>>
  const limit = Array.isArray(topics) ? limitsByTopic.get(topics[0]) : undefined
  const block = typeof blockNumber === 'string' ? Number(blockNumber) : Number.NaN
  const isValid = typeof data === 'string' && /^0x[0-9a-f]{64}$/i.test(data) && Number.isSafeInteger(block)
  return limit && isValid ? [{ block, limit, value: BigInt(data) }] : []
}
