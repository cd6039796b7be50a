import { callNode, type NodeCall, toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import type { Address, Hex } from 'viem'

export type BatchTransaction = { readonly from: Address; readonly to: Address; readonly data: Hex }

// Twice the gas of a lend with a permit. Estimating each transaction would take most of the time.
export const gasPerTransaction = 500_000

/** Transactions of one block, and its second. */
export type Batch = { readonly timestamp: bigint; readonly transactions: readonly BatchTransaction[] }

/**
 * Mines blocks by one request. Throws if one of the transactions fails. Automine must be off, the node must know or
 * impersonate the senders, and each block needs gas for all of its transactions.
 */
export async function mineBatches(url: string, batches: readonly Batch[]): Promise<void> {
  const results = await callNode(url, batches.flatMap(encodeBatch))
  let end = 0
  for (const { transactions } of batches) {
    end += transactions.length + 2
    assertAllSucceeded(results[end - 1] as readonly Receipt[], transactions.length)
  }
}

/** Returns the calls of a block. The last one returns its receipts. */
function encodeBatch({ timestamp, transactions }: Batch): readonly NodeCall[] {
  const gas = toQuantity(gasPerTransaction)
  return [
    ...transactions.map((transaction) => ({ method: 'eth_sendTransaction', params: [{ ...transaction, gas }] })),
    { method: 'evm_mine', params: [toQuantity(timestamp)] },
    { method: 'eth_getBlockReceipts', params: ['latest'] },
  ]
}

type Receipt = { readonly transactionHash: Hex; readonly status: Hex; readonly from: Address }

function assertAllSucceeded(receipts: readonly Receipt[], count: number): void {
  if (receipts.length !== count) {
    throw new Error(
      `The block contains ${receipts.length} of ${count} transactions. Raise its gas limit or send fewer.`,
    )
  }
  const failed = receipts.find(({ status }) => status !== '0x1')
  if (failed) throw new Error(`Transaction ${failed.transactionHash} from ${failed.from} reverted.`)
}
