import { testAccounts } from '@tallystick/workbench/dev-chain/test-accounts'
import { type Address, getAddress, type Hex } from 'viem'
import { lenderCount, partnerFeesBps } from './history.ts'

type Wallet = { readonly address: Address; readonly privateKey: Hex }

export type Wallets = {
  /** Deploys the contracts and has every role in them. */
  readonly admin: Wallet
  readonly lenders: readonly Wallet[]
  readonly partnerOwners: readonly Wallet[]
}

/** Returns the wallets of every sandbox. Their keys are public. */
export function sandboxWallets(): Wallets {
  const [admin, ...others] = testAccounts
    .slice(0, 1 + lenderCount + partnerFeesBps.length)
    .map(([address, privateKey]) => ({ address: getAddress(address), privateKey: privateKey as Hex }))
  return { admin: admin as Wallet, lenders: others.slice(0, lenderCount), partnerOwners: others.slice(lenderCount) }
}
