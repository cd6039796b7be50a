import type { ShiftableClock } from '@tallystick/api'
import { callNode } from '../call-node.ts'
import { sandboxWallets } from './create-devnet.ts'
import type { Devnet } from './devnet.ts'
import { followClock } from './follow-clock.ts'
import { keepInStep } from './keep-in-step.ts'
import { sayFor } from './sandbox-chain.ts'

export type TogetherOptions = {
  readonly clock: ShiftableClock
  readonly say: (line: string) => void
  /** Called when the time was moved on a chain. */
  readonly onMoved: () => Promise<void>
}

// A day without transactions is then 8,640 blocks, which are replayed in 2 s and take 4 MB of the index.
const idleBlockSeconds = 10

/** Lets the chains follow the clock. Time moved on one chain moves the clock, and with it the other chains. */
export async function keepTogether(
  devnets: readonly Devnet[],
  { clock, say, onMoved }: TogetherOptions,
): Promise<{ stop(): Promise<void> }> {
  await Promise.all(devnets.map(({ node }) => followClock(node.url, { clock, idleSeconds: idleBlockSeconds })))
  const steps = devnets.map((devnet) =>
    keepInStep({
      url: devnet.node.url,
      clock,
      pool: devnet.record.protocol.pool,
      admin: sandboxWallets().admin.address,
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
      await Promise.all(steps.map((step) => step.stop()))
    },
  }
}

/** Moves a chain to the clock's time, unless it is ahead: then it was moved too, and the clock is going to follow it. */
async function moveForward(url: string, clock: ShiftableClock): Promise<void> {
  const [head] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  if (Number((head as { readonly timestamp: string }).timestamp) > clock.now() / 1000) return
  await followClock(url, { clock, idleSeconds: idleBlockSeconds })
}
