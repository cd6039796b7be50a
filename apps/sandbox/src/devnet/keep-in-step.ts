import type { ShiftableClock } from '@tallystick/api'
import type { Address } from 'viem'
import { callNode, toQuantity } from '../call-node.ts'
import { gasPerTransaction } from '../mine-batch.ts'
import { encodeMissingIncomes } from '../seed/catch-up-incomes.ts'
import { daySeconds } from '../seed/history.ts'
import { reportedAfterSeconds } from '../seed/plan-incomes.ts'
import { runInStep } from './follow-clock.ts'

export type StepOptions = {
  readonly url: string
  readonly clock: ShiftableClock
  readonly pool: Address
  /** Who may report incomes; the node signs for it. */
  readonly admin: Address
  readonly say: (line: string) => void
  /** Called when the time was moved. */
  readonly onMoved: () => Promise<void>
}

const lookMs = 1_000
// The two turn their seconds together, but a block takes a moment.
const toleranceSeconds = 2

/**
 * Keeps service and chain together as time goes by: who moves the chain forward (`evm_increaseTime`) moves the service
 * too, and every UTC day's floating income is reported a few minutes after it is over.
 */
export function keepInStep(options: StepOptions): { stop(): Promise<void> } {
  let reportedDay: bigint | undefined
  let problem: string | undefined
  let isLooking = false
  let isStopped = false
  const look = async () => {
    await followChain(options)
    const day = (BigInt(Math.floor(options.clock.now() / 1000)) - reportedAfterSeconds) / daySeconds
    if (day === reportedDay) return
    await reportIncomes(options, day)
    reportedDay = day
    problem = undefined
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(({ message }: Error) => {
        // Once: it is tried again every second, and the chain may have been stopped on purpose.
        if (!isStopped && message !== problem) options.say(`the sandbox cannot keep its chain in step: ${message}`)
        problem = message
      })
      .finally(() => {
        isLooking = false
      })
  }, lookMs)
  return {
    stop: async () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}

async function followChain({ url, clock, say, onMoved }: StepOptions): Promise<void> {
  const [head] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  const chainSeconds = Number((head as { readonly timestamp: string }).timestamp)
  if (chainSeconds - clock.now() / 1000 <= toleranceSeconds) return
  clock.hold(chainSeconds * 1000)
  await runInStep(clock)
  await onMoved()
  say(`the chain was moved to ${new Date(chainSeconds * 1000).toISOString()}, and the service with it`)
}

async function reportIncomes({ url, pool, admin }: StepOptions, today: bigint): Promise<void> {
  const transactions = await encodeMissingIncomes(url, { pool, admin, today })
  for (const transaction of transactions) {
    const gas = toQuantity(gasPerTransaction)
    await callNode(url, [{ method: 'eth_sendTransaction', params: [{ ...transaction, gas }] }])
  }
}
