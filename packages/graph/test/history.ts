import type { BlockLogs, Log } from '@tallystick/subgraph'
import { startsAt } from '../../subgraph/test/protocol-logs.ts'

/** Logs of a transaction. */
type Transaction = readonly Log[]

export type BlockPlan = { readonly transactions: readonly Transaction[]; readonly timestamp?: number | undefined }

/** Builds consecutive blocks. Each transaction has its own hash and each log its index in the block. */
export function buildHistory(plans: readonly BlockPlan[], firstBlock = 1): readonly BlockLogs[] {
  return plans.map(({ transactions, timestamp }, index) => {
    const number = firstBlock + index
    const logs = transactions.flatMap((transaction, position) => {
      const transactionHash = hashOf(number * 1_000 + position + 1)
      return transaction.map((log) => ({ ...log, transactionHash }))
    })
    return {
      block: {
        number,
        hash: hashOf(number),
        parentHash: hashOf(number - 1),
        timestamp: timestamp ?? startsAt + 12 * index,
      },
      logs: logs.map((log, logIndex) => ({ ...log, logIndex })),
    }
  })
}

function hashOf(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
