import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { createProgress } from '../home/sandbox-chain.ts'
import { type Batch, mineBatches } from '../protocol/mine-batches.ts'
import { encodeSetUp, encodeStep, type SeedContext } from './encode-transactions.ts'
import type { History } from './history.ts'

// A request for each block would take longer than its transactions.
const transactionsPerRequest = 20

type SeedOptions = { readonly context: SeedContext; readonly history: History; readonly say: (line: string) => void }

/** Mines a history on a chain with the deployed protocol. Automine is off afterwards. */
export async function seedHistory(url: string, { context, history, say }: SeedOptions): Promise<void> {
  await callNode(url, [{ method: 'evm_setAutomine', params: [false] }])
  await mineBatches(url, [{ timestamp: history.startsAt + 3_600n, transactions: encodeSetUp(context, history) }])
  const report = createProgress(say)
  const length = Number((history.steps.at(-1)?.at ?? history.startsAt) - history.startsAt)
  let batches: Batch[] = []
  for (const step of history.steps) {
    batches.push({ timestamp: step.at, transactions: await encodeStep(context, step) })
    const count = batches.reduce((sum, { transactions }) => sum + transactions.length, 0)
    if (count < transactionsPerRequest && step !== history.steps.at(-1)) continue
    await mineBatches(url, batches)
    batches = []
    const percent = Math.floor((100 * Number(step.at - history.startsAt)) / length)
    report(`${new Date(Number(step.at) * 1000).toISOString().slice(0, 10)}, ${percent} %`)
  }
}
