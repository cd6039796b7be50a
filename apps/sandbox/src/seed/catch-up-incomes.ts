import { poolAbi } from '@tallystick/contracts'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { type BatchTransaction, mineBatches } from '../protocol/mine-batches.ts'
import { encodeIncomes } from './encode-transactions.ts'
import { daySeconds } from './history.ts'
import { incomesFrom } from './plan-incomes.ts'
import { sandboxWallets } from './wallets.ts'

// They fit into the gas of a transaction with a margin.
const daysPerTransaction = 10
const transactionsPerBlock = 100

/** Reports the incomes of the days since the last run. The chain must be at `nowSeconds`. */
export async function catchUpIncomes(
  url: string,
  { pool, nowSeconds }: { readonly pool: Address; readonly nowSeconds: bigint },
): Promise<void> {
  const transactions = await encodeMissingIncomes(url, { pool, today: nowSeconds / daySeconds })
  for (let start = 0; start < transactions.length; start += transactionsPerBlock) {
    const batch = transactions.slice(start, start + transactionsPerBlock)
    await mineBatches(url, [{ timestamp: nowSeconds, transactions: batch }])
  }
}

/** Returns transactions of the administrator that report the income of every day up to yesterday that has none. */
export async function encodeMissingIncomes(
  url: string,
  { pool, today }: { readonly pool: Address; readonly today: bigint },
): Promise<readonly BatchTransaction[]> {
  const data = encodeFunctionData({ abi: poolAbi, functionName: 'lastFloatingIncomeUpdateDay' })
  const [last] = await callNode(url, [{ method: 'eth_call', params: [{ to: pool, data }, 'latest'] }])
  const firstMissing = BigInt(last as Hex) + 1n
  const missingCount = Math.max(0, Number(today - firstMissing))
  const from = sandboxWallets().admin.address
  return Array.from({ length: Math.ceil(missingCount / daysPerTransaction) }, (_, index) => {
    const start = index * daysPerTransaction
    const count = Math.min(daysPerTransaction, missingCount - start)
    const firstDay = firstMissing + BigInt(start)
    return { from, to: pool, data: encodeIncomes(firstDay, incomesFrom(firstDay, count)) }
  })
}
