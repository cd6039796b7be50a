import type { Provider } from './provider/provider.ts'

/** State of a transaction on the chain. */
export type ReceiptState =
  /** In the chain. `depth` is the number of blocks on top of its block. */
  | {
      readonly kind: 'mined'
      /** By the receipt. */
      readonly hash: string
      readonly blockHash: string
      readonly blockNumber: bigint
      readonly depth: number
      /** Whether the contract accepted it. */
      readonly isSuccess: boolean
    }
  /** The node knows it, and has no receipt: it waits to be mined, or a reorganisation removed its block. */
  | { readonly kind: 'pending'; readonly nonce: number | undefined }
  /** The node does not know it. */
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

/** Reads the state of a transaction once. */
export async function readState(provider: Provider, hash: string): Promise<ReceiptState> {
  // Read before the receipt, so that a receipt is never deeper than stated.
  const head = BigInt(String(await provider.request({ method: 'eth_blockNumber' })))
  const receipt = (await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as RawReceipt
  if (receipt) {
    const blockNumber = BigInt(receipt.blockNumber)
    const depth = Math.max(0, Number(head - blockNumber))
    const isSuccess = receipt.status !== '0x0'
    const minedAs = String(receipt.transactionHash ?? hash).toLowerCase()
    return { kind: 'mined', hash: minedAs, blockHash: receipt.blockHash, blockNumber, depth, isSuccess }
  }
  const transaction = (await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })) as RawTransaction
  if (transaction === null) return { kind: 'dropped' }
  const nonce = Number(transaction.nonce ?? Number.NaN)
  return { kind: 'pending', nonce: Number.isSafeInteger(nonce) ? nonce : undefined }
}

type RawReceipt = {
  readonly transactionHash?: string
  readonly blockHash: string
  readonly blockNumber: string
  readonly status?: string
} | null

type RawTransaction = { readonly nonce?: string } | null
