import { createRpcEndpoint, RpcError } from '@tallystick/chain'
import type { ChainConfig } from '../config.ts'

/** What one RPC says of its chain. */
export type RpcHead = {
  /** Its host: the rest of a URL may be a secret. */
  readonly label: string
  readonly url: string
} & (
  | { readonly chainId: number; readonly number: bigint; readonly timestamp: bigint; readonly roundTripMs: number }
  | { readonly problem: string }
)

const timeoutMs = 5_000
const answerBytesMax = 16_777_216

/** Asks every RPC of a chain for its chain id and newest block. Never throws. */
export function readHeads({ rpc }: Pick<ChainConfig, 'rpc'>): Promise<readonly RpcHead[]> {
  return Promise.all(rpc.map(readHead))
}

/** The newest block of those RPCs that are of the right chain. */
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
    const problem = error instanceof RpcError ? error.message : 'answered with something that is not a number'
    return { label: endpoint.label, url, problem }
  }
}
