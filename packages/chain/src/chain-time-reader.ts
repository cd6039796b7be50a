import { createRpcEndpoint, type RpcEndpoint } from './rpc/rpc-endpoint.ts'

/** The newest block time of a chain, Unix seconds; undefined if no RPC is configured or none answers for that chain. */
export type ReadChainTime = (chainId: number) => Promise<bigint | undefined>

const timeoutMs = 3_000
// The header of a block without its transactions' content.
const answerBytesMax = 16_777_216

/**
 * Asks every RPC of a chain and takes the newest answer, so that one node that hangs behind does not decide. An RPC of
 * another chain is not listened to: its time says nothing.
 */
export function createChainTimeReader(
  chains: readonly { readonly id: number; readonly rpc: readonly string[] }[],
): ReadChainTime {
  const { signal } = new AbortController()
  const endpoints = new Map(
    chains.map(({ id, rpc }) => [id, rpc.map((url) => createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal }))]),
  )
  return async (chainId) => {
    const answers = (endpoints.get(chainId) ?? []).map((endpoint) => readBlockTime(endpoint, chainId))
    const times = (await Promise.allSettled(answers)).flatMap((result) =>
      result.status === 'fulfilled' && result.value !== undefined ? [result.value] : [],
    )
    return times.sort((a, b) => (a < b ? -1 : 1)).at(-1)
  }
}

async function readBlockTime(endpoint: RpcEndpoint, chainId: number): Promise<bigint | undefined> {
  const [answeredId, block] = await Promise.all([
    endpoint.call({ method: 'eth_chainId', params: [] }),
    endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
  ])
  const { timestamp } = (block ?? {}) as { readonly timestamp?: unknown }
  if (Number(answeredId) !== chainId || typeof timestamp !== 'string') return undefined
  return BigInt(timestamp)
}
