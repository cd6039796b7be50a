import { testAccounts } from '@tallystick/workbench/dev-chain/test-accounts'
import { type Address, getAddress, type Hex } from 'viem'
import { lenderCount, partnerFeesBps } from './history.ts'

type Wallet = { readonly address: Address; readonly privateKey: Hex }

/** Returns the wallets of every sandbox. Their keys are public. `admin` deploys the contracts and has every role in them. */
export function sandboxWallets() {
  const [admin, ...others] = testAccounts
    .slice(0, 1 + lenderCount + partnerFeesBps.length)
    .map(([address, privateKey]) => ({ address: getAddress(address), privateKey: privateKey as Hex }))
  return { admin: admin as Wallet, lenders: others.slice(0, lenderCount), partnerOwners: others.slice(lenderCount) }
}
