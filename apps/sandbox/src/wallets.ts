import { testAccounts } from '@tallystick/workbench/dev-chain/test-accounts'
import { type Address, getAddress, type Hex } from 'viem'

export type Wallet = { readonly address: Address; readonly privateKey: Hex }

export type Wallets = {
  /** Deploys the contracts and has every role in them. */
  readonly admin: Wallet
  readonly lenders: readonly Wallet[]
  readonly partnerOwners: readonly Wallet[]
}

/** Returns the wallets of the devnet. They are the same in every sandbox, and their keys are public. */
export function assignWallets({
  lenderCount,
  partnerCount,
}: {
  readonly lenderCount: number
  readonly partnerCount: number
}): Wallets {
  const [admin, ...others] = testAccounts.slice(0, 1 + lenderCount + partnerCount).map(toWallet)
  return { admin: admin as Wallet, lenders: others.slice(0, lenderCount), partnerOwners: others.slice(lenderCount) }
}

function toWallet([address, privateKey]: (typeof testAccounts)[number]): Wallet {
  return { address: getAddress(address), privateKey: privateKey as Hex }
}
