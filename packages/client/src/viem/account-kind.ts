import { type Address, type Client, numberToHex } from 'viem'
import { getCode } from 'viem/actions'

/**
 * How an account signs and sends. `key`: a key signs permits and transactions, also that of an EIP-7702 delegation.
 * `contract`: a contract, such as a wallet of several owners, which cannot sign a permit. `batching_contract`: a contract
 * whose wallet executes several calls as one transaction (EIP-5792).
 */
export type AccountKind = 'key' | 'contract' | 'batching_contract'

/**
 * Reads how an account signs and sends, so that an app can announce what the wallet will ask for: `lend` uses a permit for a
 * key if token and wallet can, two transactions for a contract, and one for a batching contract.
 *
 * @example
 * import { createWalletClient, custom } from 'viem'
 * const walletClient = createWalletClient({ account: wallet, transport: custom(provider) })
 * await readAccountKind(walletClient, { address: wallet, chainId: 324 }) // => 'key'
 */
export async function readAccountKind(
  client: Client,
  { address, chainId }: { readonly address: Address; readonly chainId: number },
): Promise<AccountKind> {
  const code = await getCode(client, { address })
  if (code === undefined || code === '0x' || code.startsWith('0xef0100')) return 'key'
  return (await hasAtomicBatches(client, { address, chainId })) ? 'batching_contract' : 'contract'
}

type Capabilities = {
  readonly atomic?: { readonly status?: unknown }
  /** Of the draft that Safe's own provider implements. */
  readonly atomicBatch?: { readonly supported?: unknown }
}

/** Returns whether a wallet has atomic batches on a chain. One that fails to answer has none. */
async function hasAtomicBatches(
  client: Client,
  { address, chainId }: { readonly address: Address; readonly chainId: number },
): Promise<boolean> {
  const request = { method: 'wallet_getCapabilities', params: [address, [numberToHex(chainId)]] }
  try {
    const answer = (await client.request(request as never, { retryCount: 0 })) as Readonly<Record<string, Capabilities>>
    const [, found] = Object.entries(answer).find(([key]) => Number(key) === chainId) ?? []
    return found?.atomic?.status === 'supported' || found?.atomicBatch?.supported === true
  } catch {
    return false
  }
}
