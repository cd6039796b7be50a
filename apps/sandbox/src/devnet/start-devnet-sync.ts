import { joinRuns, type ShiftableTime } from '@tallystick/base'
import { callNode, readHead, toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import { sayFor } from '../home/sandbox-chain.ts'
import { gasPerTransaction } from '../protocol/mine-batches.ts'
import { encodeMissingIncomes } from '../seed/catch-up-incomes.ts'
import { daySeconds } from '../seed/history.ts'
import { reportedAfterSeconds } from '../seed/plan-incomes.ts'
import type { Devnet } from './devnet.ts'
import { followClock, runClockAligned } from './follow-clock.ts'

export type DevnetSyncOptions = {
  readonly clock: ShiftableTime
  readonly say: (line: string) => void
  /** Called after the time of a chain has moved. */
  readonly onMoved: () => Promise<void>
}

// A day without transactions then has 8,640 blocks. They take 2 s to replay and 4 MB in the index.
const idleBlockSeconds = 10
const checkMs = 1_000
// The seconds of both start together, but mining takes a moment.
const toleranceSeconds = 2

/**
 * Makes all chains follow the clock, and the clock follow a chain that was moved, for example by `evm_increaseTime`. The
 * floating income of each UTC day is reported 5 minutes after its end.
 */
export async function startDevnetSync(
  devnets: readonly Devnet[],
  { clock, say, onMoved }: DevnetSyncOptions,
): Promise<{ stop(): Promise<void> }> {
  await Promise.all(devnets.map(({ node }) => followClock(node.url, { clock, idleSeconds: idleBlockSeconds })))
  const stops = devnets.map((devnet) =>
    startChainSync(devnet, {
      clock,
      say: sayFor(devnet.chain, say),
      onMoved: async () => {
        const others = devnets.filter((other) => other !== devnet)
        await Promise.all(others.map(({ node }) => moveForward(node.url, clock)))
        await onMoved()
      },
    }),
  )
  return {
    stop: async () => {
      for (const stop of stops) stop()
    },
  }
}

/** Checks a chain every second. Returns a function that stops it. */
function startChainSync(devnet: Devnet, options: DevnetSyncOptions): () => void {
  let reportedDay: bigint | undefined
  let problem: string | undefined
  let isStopped = false
  const { run } = joinRuns(async () => {
    await followChain(devnet.node.url, options)
    const day = (BigInt(Math.floor(options.clock.now() / 1000)) - reportedAfterSeconds) / daySeconds
    if (day === reportedDay) return
    await reportIncomes(devnet, day)
    reportedDay = day
    problem = undefined
  })
  const timer = setInterval(() => {
    run().catch(({ message }: Error) => {
      // Logged once per problem, because the check runs every second.
      if (!isStopped && message !== problem) options.say(`cannot synchronize the chain: ${message}`)
      problem = message
    })
  }, checkMs)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

async function followChain(url: string, { clock, say, onMoved }: DevnetSyncOptions): Promise<void> {
  const chainSeconds = Number((await readHead(url)).timestamp)
  if (chainSeconds - clock.now() / 1000 <= toleranceSeconds) return
  clock.hold(chainSeconds * 1000)
  await runClockAligned(clock)
  await onMoved()
  say(`chain time moved to ${new Date(chainSeconds * 1000).toISOString()}; the service follows`)
}

async function reportIncomes({ node: { url }, record }: Devnet, today: bigint): Promise<void> {
  const gas = toQuantity(gasPerTransaction)
  for (const transaction of await encodeMissingIncomes(url, { pool: record.protocol.pool, today })) {
    await callNode(url, [{ method: 'eth_sendTransaction', params: [{ ...transaction, gas }] }])
  }
}

/** Moves a chain to the clock's time. A chain that is ahead was moved too, and the clock will follow it. */
async function moveForward(url: string, clock: ShiftableTime): Promise<void> {
  if (Number((await readHead(url)).timestamp) > clock.now() / 1000) return
  await followClock(url, { clock, idleSeconds: idleBlockSeconds })
}
