import { dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { type Abi, type Address, encodeFunctionData, getAddress, type Hash } from 'viem'
import { mineBatch } from '../../src/mine-batch.ts'
import type { Chain } from '../chain.ts'

export type Call = {
  readonly from: Address
  readonly to: Address
  readonly functionName: string
  readonly args?: readonly unknown[]
}

const abi: Abi = [...poolAbi, ...positionTokenAbi, ...dollarTokenAbi]

/** Mines calls in their order in one block, all of which have to succeed; returns the hashes of their transactions. */
export async function mineBlock(
  { client }: Chain,
  { at, calls }: { readonly at: bigint; readonly calls: readonly Call[] },
): Promise<readonly Hash[]> {
  const transactions = calls.map(({ from, to, functionName, args = [] }) => ({
    // In one spelling: a sender's transactions are numbered by it.
    from: getAddress(from),
    to,
    data: encodeFunctionData({ abi, functionName, args }),
  }))
  if (transactions.length > 0) {
    await mineBatch(client.chain.rpcUrls.default.http[0]!, { timestamp: at, transactions })
  } else {
    await client.setNextBlockTimestamp({ timestamp: at })
    await client.mine({ blocks: 1 })
  }
  const { transactions: hashes } = await client.getBlock()
  return hashes
}

/** Lets the pool take every wallet's dollars and positions. */
export async function approveAll(chain: Chain, at: bigint): Promise<void> {
  const calls = chain.wallets.flatMap(({ address: from }) => [
    { from, to: chain.token, functionName: 'approve', args: [chain.pool, 2n ** 256n - 1n] },
    { from, to: chain.positions, functionName: 'setApprovalForAll', args: [chain.pool, true] },
  ])
  await mineBlock(chain, { at, calls })
}
