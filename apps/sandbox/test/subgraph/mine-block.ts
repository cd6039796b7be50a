import { denylisterAbi, dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { type Abi, type Address, encodeFunctionData, type Hash, type TransactionReceipt } from 'viem'
import { gasPerTransaction } from '../../src/protocol/mine-batches.ts'
import type { Chain } from '../chain.ts'

export type Call = {
  readonly from: Address
  readonly to: Address
  readonly functionName: string
  readonly args?: readonly unknown[]
}

const abi: Abi = [...poolAbi, ...positionTokenAbi, ...dollarTokenAbi, ...denylisterAbi]

type Block = { readonly at: bigint; readonly calls: readonly Call[] }

/** Mines calls in their order in one block, all of which have to succeed; returns the hashes of their transactions. */
export async function mineBlock(chain: Chain, block: Block): Promise<readonly Hash[]> {
  const receipts = await mineReceipts(chain, block)
  const failed = receipts.findIndex(({ status }) => status !== 'success')
  if (failed !== -1) throw new Error(`${block.calls[failed]!.functionName} reverted.`)
  return receipts.map(({ transactionHash }) => transactionHash)
}

/** Mines calls in their order in one block and returns their receipts, reverted or not. */
export async function mineReceipts({ client }: Chain, { at, calls }: Block): Promise<readonly TransactionReceipt[]> {
  const hashes: Hash[] = []
  for (const { from, to, functionName, args = [] } of calls) {
    const data = encodeFunctionData({ abi, functionName, args })
    hashes.push(await client.sendTransaction({ account: from, to, data, gas: BigInt(gasPerTransaction), chain: null }))
  }
  await client.setNextBlockTimestamp({ timestamp: at })
  await client.mine({ blocks: 1 })
  return Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
}

/** Lets the pool take every wallet's dollars and positions. */
export async function approveAll(chain: Chain, at: bigint): Promise<void> {
  const calls = chain.wallets.flatMap(({ address: from }) => [
    { from, to: chain.token, functionName: 'approve', args: [chain.pool, 2n ** 256n - 1n] },
    { from, to: chain.positions, functionName: 'setApprovalForAll', args: [chain.pool, true] },
  ])
  await mineBlock(chain, { at, calls })
}
