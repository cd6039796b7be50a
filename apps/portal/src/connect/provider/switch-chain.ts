import type { PortalChain } from '@tallystick/core'
import type { Provider } from './provider.ts'
import { findWalletFault, WalletError } from './wallet-error.ts'

/** Chain as a wallet needs it (EIP-3085). */
export type WalletChain = Pick<PortalChain, 'id' | 'name' | 'publicRpc' | 'currency' | 'explorer'>

/** Switches a wallet to a chain. A wallet that does not know the chain is asked to add it. */
export async function switchChain(provider: Provider, chain: WalletChain): Promise<void> {
  if ((await readChainId(provider)) === chain.id) return
  const chainId = toHex(chain.id)
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    if (findWalletFault(error) !== 'unknown_chain') throw error
    await addChain(provider, chain)
    // Some wallets switch to an added chain at once, others ask again.
    if ((await readChainId(provider)) !== chain.id)
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  }
  if ((await readChainId(provider)) === chain.id) return
  throw new WalletError(
    'unknown_chain',
    `The wallet did not switch to ${chain.name}. Choose that network in the wallet.`,
  )
}

/** Returns the chain id of a wallet. Some wallets state it in decimal. */
export async function readChainId(provider: Provider): Promise<number> {
  return parseChainId(await provider.request({ method: 'eth_chainId' }))
}

export function parseChainId(value: unknown): number {
  return Number(typeof value === 'object' ? Number.NaN : value)
}

async function addChain(provider: Provider, { id, name, publicRpc, currency, explorer }: WalletChain): Promise<void> {
  if (publicRpc.length === 0) {
    const message = `Your wallet does not know ${name} (chain ${id}). Add that network in the wallet, then try again.`
    throw new WalletError('unknown_chain', message)
  }
  const chain = {
    chainId: toHex(id),
    chainName: name,
    rpcUrls: publicRpc,
    nativeCurrency: { name: currency, symbol: currency, decimals: 18 },
    ...(explorer === undefined ? {} : { blockExplorerUrls: [explorer] }),
  }
  await provider.request({ method: 'wallet_addEthereumChain', params: [chain] })
}

function toHex(id: number): string {
  return `0x${id.toString(16)}`
}
