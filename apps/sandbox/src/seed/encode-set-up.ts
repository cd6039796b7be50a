import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { encodeFunctionData } from 'viem'
import type { BatchTransaction } from '../mine-batch.ts'
import type { Scene } from './encode-step.ts'
import { type History, partnerFeesBps } from './history.ts'

// What each lender can still spend when the history has led up to now.
const pocketMoney = 1_000_000n * 10n ** 18n

/** Partners, and lenders with what they are going to lend: nothing of the allowance is left over for later. */
export function encodeSetUp({ protocol, wallets }: Scene, { steps }: History): BatchTransaction[] {
  const { pool, token } = protocol
  const partners = wallets.partnerOwners.map(({ address }, index) => {
    const args = [address, partnerFeesBps[index] as bigint] as const
    return { from: address, to: pool, data: encodeFunctionData({ abi: poolAbi, functionName: 'createPartner', args }) }
  })
  const positions = steps.flatMap((step) => (step.kind === 'lend' ? step.positions : []))
  const lenders = wallets.lenders.flatMap(({ address }, index) => {
    const total = positions.reduce((sum, { lender, principal }) => (lender === index ? sum + principal : sum), 0n)
    const mint = { abi: dollarTokenAbi, functionName: 'mint', args: [address, total + pocketMoney] } as const
    const approve = { abi: dollarTokenAbi, functionName: 'approve', args: [pool, total] } as const
    return [
      { from: wallets.admin.address, to: token, data: encodeFunctionData(mint) },
      { from: address, to: token, data: encodeFunctionData(approve) },
    ]
  })
  return [...partners, ...lenders]
}
