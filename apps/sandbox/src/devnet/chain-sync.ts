import type { ShiftableClock } from '@tallystick/base'
import { callNode, toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import type { Address } from 'viem'
import { gasPerTransaction } from '../mine-batch.ts'
import { encodeMissingIncomes } from '../seed/catch-up-incomes.ts'
import { daySeconds } from '../seed/history.ts'
import { reportedAfterSeconds } from '../seed/plan-incomes.ts'
import { runClockAligned } from './follow-clock.ts'

export type ChainSyncOptions = {
  readonly url: string
  readonly clock: ShiftableClock
  readonly pool: Address
  /** Account that may report incomes. The node signs for it. */
  readonly admin: Address
  readonly say: (line: string) => void
  /** Called after the chain's time has moved. */
  readonly onMoved: () => Promise<void>
}

const checkMs = 1_000
// The seconds of both start together, but mining takes a moment.
const toleranceSeconds = 2

/**
 * Synchronizes the service with a chain. `evm_increaseTime` also advances the service's clock. The floating income of each
 * UTC day is reported 5 minutes after its end.
 */
export function startChainSync(options: ChainSyncOptions): { stop(): Promise<void> } {
  let reportedDay: bigint | undefined
  let problem: string | undefined
  let isChecking = false
  let isStopped = false
  const check = async () => {
    await followChain(options)
    const day = (BigInt(Math.floor(options.clock.now() / 1000)) - reportedAfterSeconds) / daySeconds
    if (day === reportedDay) return
    await reportIncomes(options, day)
    reportedDay = day
    problem = undefined
  }
  const timer = setInterval(() => {
    if (isChecking) return
    isChecking = true
    check()
      .catch(({ message }: Error) => {
        // Logged once per problem, because the check runs every second.
        if (!isStopped && message !== problem) options.say(`cannot synchronize the chain: ${message}`)
        problem = message
      })
      .finally(() => {
        isChecking = false
      })
  }, checkMs)
  return {
    stop: async () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}

async function followChain({ url, clock, say, onMoved }: ChainSyncOptions): Promise<void> {
  const [head] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  const chainSeconds = Number((head as { readonly timestamp: string }).timestamp)
  if (chainSeconds - clock.now() / 1000 <= toleranceSeconds) return
  clock.hold(chainSeconds * 1000)
  await runClockAligned(clock)
  await onMoved()
  say(`chain time moved to ${new Date(chainSeconds * 1000).toISOString()}; the service follows`)
}

async function reportIncomes({ url, pool, admin }: ChainSyncOptions, today: bigint): Promise<void> {
  const transactions = await encodeMissingIncomes(url, { pool, admin, today })
  for (const transaction of transactions) {
    const gas = toQuantity(gasPerTransaction)
    await callNode(url, [{ method: 'eth_sendTransaction', params: [{ ...transaction, gas }] }])
  }
}
