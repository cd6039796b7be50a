import { createPublicClient, http } from 'viem'

/** The newest block time of a chain, Unix seconds; undefined if no RPC is configured or none answers. */
export type ReadChainTime = (chainId: number) => Promise<bigint | undefined>

const timeoutMs = 3_000

/** Asks every RPC of a chain and takes the newest answer, so that one node that hangs behind does not decide. */
export function createChainTimeReader(
  chains: readonly { readonly id: number; readonly rpc: readonly string[] }[],
): ReadChainTime {
  const clients = new Map(
    chains.map(({ id, rpc }) => [
      id,
      rpc.map((url) => createPublicClient({ transport: http(url, { timeout: timeoutMs, retryCount: 0 }) })),
    ]),
  )
  return async (chainId) => {
    const blocks = (clients.get(chainId) ?? []).map((client) => client.getBlock({ includeTransactions: false }))
    const times = (await Promise.allSettled(blocks)).flatMap((result) =>
      result.status === 'fulfilled' ? [result.value.timestamp] : [],
    )
    return times.sort((a, b) => (a < b ? -1 : 1)).at(-1)
  }
}
