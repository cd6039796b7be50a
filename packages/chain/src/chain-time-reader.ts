import type { ChainIdentity } from './rpc/chain-identity.ts'
import { parseQuantity } from './rpc/read-blocks.ts'
import { createRpcEndpoint, type RpcEndpoint } from './rpc/rpc-endpoint.ts'

/** Reads the newest block time of a chain in Unix seconds. Returns undefined if no RPC of the chain responds. */
export type ReadChainTime = (chainId: number) => Promise<bigint | undefined>

const timeoutMs = 3_000
// A block with the hashes of its transactions.
const answerBytesMax = 16_777_216

/**
 * Creates a function that queries every RPC of a chain and returns the newest time, so that one lagging node does not
 * matter. The response of an RPC that serves another chain is ignored, also if another part of the process has found that.
 */
export function createChainTimeReader(
  chains: readonly { readonly id: number; readonly rpc: readonly string[] }[],
  identities: ReadonlyMap<number, ChainIdentity>,
): ReadChainTime {
  const { signal } = new AbortController()
  const endpoints = new Map(
    chains.map(({ id, rpc }) => [id, rpc.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal }))]),
  )
  return async (chainId) => {
    const identity = identities.get(chainId)
    const trusted = (endpoints.get(chainId) ?? []).filter((endpoint) => !identity?.faultOf(endpoint))
    const reads = trusted.map((endpoint) => readBlockTime(endpoint, chainId))
    const times = (await Promise.allSettled(reads)).flatMap((result) =>
      result.status === 'fulfilled' && result.value !== undefined ? [result.value] : [],
    )
    return times.sort((a, b) => (a < b ? -1 : 1)).at(-1)
  }
}

async function readBlockTime(endpoint: RpcEndpoint, chainId: number): Promise<bigint | undefined> {
  const [reportedId, block] = await Promise.all([
    endpoint.call({ method: 'eth_chainId', params: [] }),
    endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
  ])
  const { timestamp } = (block ?? {}) as { readonly timestamp?: unknown }
  return parseQuantity(reportedId) === chainId ? BigInt(parseQuantity(timestamp)) : undefined
}
