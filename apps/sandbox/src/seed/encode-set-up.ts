import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { encodeFunctionData, maxUint256 } from 'viem'
import { mintLimit } from '../protocol/deploy-protocol.ts'
import type { BatchTransaction } from '../protocol/mine-batch.ts'
import type { SeedContext } from './encode-step.ts'
import { type History, partnerFeesBps } from './history.ts'
import { sandboxWallets } from './wallets.ts'

// Balance of each lender after the history.
const spareBalance = 1_000_000n * 10n ** 18n

/** Encodes the partners, and the balances and allowances of the lenders. The history uses up the allowances. */
export function encodeSetUp({ protocol }: SeedContext, { steps }: History): BatchTransaction[] {
  const { pool, token } = protocol
  const { admin, lenders, partnerOwners } = sandboxWallets()
  const partners = partnerOwners.map(({ address }, index) => {
    const args = [address, partnerFeesBps[index] as bigint] as const
    return { from: address, to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: 'createPartner', args }) }
  })
  const positions = steps.flatMap((step) => (step.kind === 'lend' ? step.positions : []))
  const balances = lenders.flatMap(({ address }, index) => {
    const total = positions.reduce((sum, { lender, principal }) => (lender === index ? sum + principal : sum), 0n)
    const mint = { abi: dollarTokenAbi, functionName: 'mint', args: [address, total + spareBalance] } as const
    const approve = { abi: dollarTokenAbi, functionName: 'approve', args: [pool, total] } as const
    return [
      { from: admin.address, to: token, data: encodeFunctionData(mint) },
      { from: address, to: token, data: encodeFunctionData(approve) },
    ]
  })
  const setMintLimit = (limit: bigint) => {
    const call = { abi: dollarTokenAbi, functionName: 'updateMaxMintLimit', args: [limit] } as const
    return { from: admin.address, to: token, data: encodeFunctionData(call) }
  }
  return [...partners, setMintLimit(maxUint256), ...balances, setMintLimit(mintLimit)]
}
