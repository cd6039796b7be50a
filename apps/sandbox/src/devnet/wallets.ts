import { type Address, type Hex, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

export type Wallet = { readonly address: Address; readonly privateKey: Hex }

export type Wallets = {
  /** Deploys the contracts and has every role in them. */
  readonly admin: Wallet
  readonly lenders: readonly Wallet[]
  readonly partnerOwners: readonly Wallet[]
}

// The one every development node knows, and everybody else: keys for a chain that is nobody's but this machine's.
const mnemonic = 'test test test test test test test test test test test junk'

/** The devnet's wallets, the same in every sandbox. */
export function deriveWallets({
  lenderCount,
  partnerCount,
}: {
  readonly lenderCount: number
  readonly partnerCount: number
}): Wallets {
  const derive = (start: number, count: number) =>
    Array.from({ length: count }, (_, index) => deriveWallet(start + index))
  return {
    admin: deriveWallet(0),
    lenders: derive(1, lenderCount),
    partnerOwners: derive(1 + lenderCount, partnerCount),
  }
}

function deriveWallet(addressIndex: number): Wallet {
  const account = mnemonicToAccount(mnemonic, { addressIndex })
  return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) }
}
