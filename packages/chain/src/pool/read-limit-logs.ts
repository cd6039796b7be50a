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

/**
 * Creates a function that reads a pool's limits from its logs: the whole history at the first call, later only new blocks.
 * If a provider rejects the range of the history, only blocks after it are read.
 */
export function createReadLimitLogs(pool: Address): (endpoint: RpcEndpoint) => Promise<AnnouncedLimits> {
  let known: AnnouncedLimits = {}
  let fromBlock = 0
  return async (endpoint) => {
    const head = Number(await endpoint.call({ method: 'eth_blockNumber', params: [] }))
    if (!Number.isSafeInteger(head)) {
      throw new RpcError({
        kind: 'malformed',
        message: 'responded to eth_blockNumber with a value that is not a number',
      })
    }
    if (head < fromBlock) return known
    const range = { fromBlock: toHex(fromBlock), toBlock: toHex(head) }
    const filter = { address: pool, topics: [[...limitsByTopic.keys()]], ...range }
    known = { ...known, ...(await readLogs(endpoint, { filter, isHistory: fromBlock === 0 })) }
    fromBlock = head + 1
    return known
  }
}

async function readLogs(
  endpoint: RpcEndpoint,
  { filter, isHistory }: { readonly filter: object; readonly isHistory: boolean },
): Promise<AnnouncedLimits> {
  try {
    const logs = await endpoint.call({ method: 'eth_getLogs', params: [filter] })
    return Object.fromEntries((Array.isArray(logs) ? logs : []).flatMap(decodeLog))
  } catch (error) {
    if (error instanceof RpcError && (isHistory || error.kind === 'error' || error.kind === 'refused')) return {}
    throw error
  }
}

function decodeLog(log: unknown): [keyof AnnouncedLimits, bigint][] {
  const { topics, data } = (log ?? {}) as { readonly topics?: unknown; readonly data?: unknown }
  const limit = Array.isArray(topics) ? limitsByTopic.get(topics[0]) : undefined
  return limit && typeof data === 'string' && /^0x[0-9a-f]{64}$/i.test(data) ? [[limit, BigInt(data)]] : []
}
