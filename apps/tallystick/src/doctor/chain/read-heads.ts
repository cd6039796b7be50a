import { createRpcEndpoint, RpcError } from '@tallystick/chain'
import type { ChainConfig } from '@tallystick/service'

/** The newest block of an RPC, or why it could not be read. */
export type RpcHead = {
  /** Host only: the rest of the URL may be secret. */
  readonly label: string
  readonly url: string
} & (
  | { readonly chainId: number; readonly number: bigint; readonly timestamp: bigint; readonly roundTripMs: number }
  | { readonly problem: string }
)

const timeoutMs = 5_000
const answerBytesMax = 16_777_216

/** Reads the chain id and the newest block from every RPC of a chain. Never throws. */
export function readHeads({ rpc }: Pick<ChainConfig, 'rpc'>): Promise<readonly RpcHead[]> {
  return Promise.all(rpc.map(readHead))
}

/** Returns the newest block of the RPCs that serve the chain. */
export function newestHead(heads: readonly RpcHead[], chainId: number) {
  return heads
    .flatMap((head) => ('chainId' in head && head.chainId === chainId ? [head] : []))
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0]
}

async function readHead(url: string): Promise<RpcHead> {
  const { signal } = new AbortController()
  const endpoint = createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal })
  const startedAtMs = performance.now()
  try {
    const chainId = Number(await endpoint.call({ method: 'eth_chainId', params: [] }))
    const roundTripMs = Math.round(performance.now() - startedAtMs)
    const block = await endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] })
    const { number, timestamp } = (block ?? {}) as { readonly number?: string; readonly timestamp?: string }
    if (!number || !timestamp) return { label: endpoint.label, url, problem: 'answered without a newest block' }
    return { label: endpoint.label, url, chainId, number: BigInt(number), timestamp: BigInt(timestamp), roundTripMs }
  } catch (error) {
    const problem = error instanceof RpcError ? error.message : 'answered with an invalid number'
    return { label: endpoint.label, url, problem }
  }
}
