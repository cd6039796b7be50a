import { createLogThrottle } from '@tallystick/base'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { type Batch, mineBatch, mineBatches } from '../mine-batch.ts'
import { encodeSetUp } from './encode-set-up.ts'
import { encodeStep, type SeedContext } from './encode-step.ts'
import type { History } from './history.ts'

const progressMs = 1_000
// A request for each block would take longer than its transactions.
const transactionsPerRequest = 20

/** Mines a history on a chain with the deployed protocol. Automine is off afterwards. */
export async function seedHistory(
  url: string,
  {
    context,
    history,
    say,
  }: { readonly context: SeedContext; readonly history: History; readonly say: (line: string) => void },
): Promise<void> {
  await callNode(url, [{ method: 'evm_setAutomine', params: [false] }])
  await mineBatch(url, { timestamp: history.startsAt + 3_600n, transactions: encodeSetUp(context, history) })
  const report = createReport(history, say)
  let batches: Batch[] = []
  for (const step of history.steps) {
    batches.push({ timestamp: step.at, transactions: await encodeStep(context, step) })
    const count = batches.reduce((sum, { transactions }) => sum + transactions.length, 0)
    if (count < transactionsPerRequest && step !== history.steps.at(-1)) continue
    await mineBatches(url, batches)
    batches = []
    report(step.at)
  }
}

/** Reports the progress at most once per second. */
function createReport({ startsAt, steps }: History, say: (line: string) => void): (at: bigint) => void {
  const length = Number((steps.at(-1)?.at ?? startsAt) - startsAt)
  const isDue = createLogThrottle({ monotonicNow: () => performance.now(), everyMs: progressMs })
  isDue()
  return (at) => {
    if (!isDue()) return
    const percent = Math.floor((100 * Number(at - startsAt)) / length)
    say(`  ${new Date(Number(at) * 1000).toISOString().slice(0, 10)}, ${percent} %`)
  }
}
