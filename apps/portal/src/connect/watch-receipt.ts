import type { Provider } from './provider/provider.ts'

/** State of a mined transaction on the chain. */
export type ReceiptState =
  /** In the chain. `depth` is the number of blocks on top of its block. */
  | { readonly kind: 'mined'; readonly blockHash: string; readonly blockNumber: bigint; readonly depth: number }
  /** A reorganisation removed its block, and it waits to be mined again. */
  | { readonly kind: 'pending' }
  /** A reorganisation removed it, and the node does not know it any more. */
  | { readonly kind: 'dropped' }

export type WatchOptions = {
  readonly hash: string
  readonly signal: AbortSignal
  readonly onState: (state: ReceiptState) => void
  /** Waits until the next look. */
  readonly wait: () => Promise<void>
}

/** Blocks after which a transaction is regarded as final. */
export const finalDepth = 12

/**
 * Watches a mined transaction until it is `finalDepth` blocks deep, because a reorganisation can remove it until then. A
 * failed request is repeated: it says nothing about the transaction.
 */
export async function watchReceipt(provider: Provider, { hash, signal, onState, wait }: WatchOptions): Promise<void> {
  while (!signal.aborted) {
    const state = await readState(provider, hash).catch(() => undefined)
    if (signal.aborted) return
    if (state) onState(state)
    if (state?.kind === 'mined' && state.depth >= finalDepth) return
    await wait()
  }
}

async function readState(provider: Provider, hash: string): Promise<ReceiptState> {
  // Read before the receipt, so that a receipt is never deeper than stated.
  const head = BigInt(String(await provider.request({ method: 'eth_blockNumber' })))
  const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RawReceipt
  if (receipt) {
    const blockNumber = BigInt(receipt.blockNumber)
    return { kind: 'mined', blockHash: receipt.blockHash, blockNumber, depth: Math.max(0, Number(head - blockNumber)) }
  }
  const transaction = await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })
  return { kind: transaction === null ? 'dropped' : 'pending' }
}

type RawReceipt = { readonly blockHash: string; readonly blockNumber: string } | null
