import type { Address, Hex } from 'viem'
import { callNode, toQuantity } from './call-node.ts'

export type BatchTransaction = { readonly from: Address; readonly to: Address; readonly data: Hex }

// Twice what a lend with a permit takes. Given, because an estimate a transaction is most of the time it costs.
export const gasPerTransaction = 500_000
// The node works on a batch all at once, and keeps the order of its members only up to sixty or so.
const orderedBatchMax = 50

/**
 * Mines transactions in their order, in one block of a given second; throws if one of them failed. The node must not
 * mine by itself, must know the senders or impersonate them, and its block must have gas for all.
 *
 * A block costs the node a copy of its whole state, and reading a block's receipts grows with their square: on two cores
 * ten thousand lends take 11 s at a hundred a block, half a minute at twenty, 20 s at five hundred, minutes at one.
 */
export async function mineBatch(
  url: string,
  { timestamp, transactions }: { readonly timestamp: bigint; readonly transactions: readonly BatchTransaction[] },
): Promise<void> {
  const calls = (await withNonces(url, transactions)).map((transaction) => ({
    method: 'eth_sendTransaction',
    params: [transaction],
  }))
  for (let start = 0; start < calls.length; start += orderedBatchMax) {
    await callNode(url, calls.slice(start, start + orderedBatchMax))
  }
  await callNode(url, [{ method: 'evm_setNextBlockTimestamp', params: [toQuantity(timestamp)] }])
  await callNode(url, [{ method: 'evm_mine', params: [] }])
  const [receipts] = await callNode(url, [{ method: 'eth_getBlockReceipts', params: ['latest'] }])
  assertAllSucceeded(receipts as readonly Receipt[], transactions.length)
}

type Receipt = { readonly transactionHash: Hex; readonly status: Hex; readonly from: Address }

/** Numbered here: left to itself, the node gives two transactions of one sender in one batch the same nonce. */
async function withNonces(url: string, transactions: readonly BatchTransaction[]) {
  const senders = [...new Set(transactions.map(({ from }) => from))]
  const counts = await callNode(
    url,
    senders.map((sender) => ({ method: 'eth_getTransactionCount', params: [sender, 'latest'] })),
  )
  const nextNonces = new Map(senders.map((sender, index) => [sender, Number(counts[index])]))
  return transactions.map((transaction) => {
    const nonce = nextNonces.get(transaction.from) as number
    nextNonces.set(transaction.from, nonce + 1)
    return { ...transaction, nonce: toQuantity(nonce), gas: toQuantity(gasPerTransaction) }
  })
}

function assertAllSucceeded(receipts: readonly Receipt[], count: number): void {
  if (receipts.length !== count) {
    throw new Error(`The block took ${receipts.length} of ${count} transactions. Raise its gas limit or send fewer.`)
  }
  const failed = receipts.find(({ status }) => status !== '0x1')
  if (failed) throw new Error(`Transaction ${failed.transactionHash} from ${failed.from} reverted.`)
}
