import type { Address, Hex } from 'viem'
import { callNode, toQuantity } from './call-node.ts'

export type BatchTransaction = { readonly from: Address; readonly to: Address; readonly data: Hex }

// Twice the gas of a lend with a permit. Estimating each transaction would take most of the time.
export const gasPerTransaction = 500_000

/**
 * Mines transactions in order, in one block at a given second. Throws if one of them fails. Automine must be off, the node
 * must know or impersonate the senders, and the block needs gas for all.
 */
export async function mineBatch(
  url: string,
  { timestamp, transactions }: { readonly timestamp: bigint; readonly transactions: readonly BatchTransaction[] },
): Promise<void> {
  const gas = toQuantity(gasPerTransaction)
  const sends = transactions.map((transaction) => ({
    method: 'eth_sendTransaction',
    params: [{ ...transaction, gas }],
  }))
  await callNode(url, sends)
  const [, receipts] = await callNode(url, [
    { method: 'evm_mine', params: [toQuantity(timestamp)] },
    { method: 'eth_getBlockReceipts', params: ['latest'] },
  ])
  assertAllSucceeded(receipts as readonly Receipt[], transactions.length)
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
