import type { ShiftableClock } from '@tallystick/base'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { startChainSync } from './chain-sync.ts'
import { sandboxWallets } from './create-devnet.ts'
import type { Devnet } from './devnet.ts'
import { followClock } from './follow-clock.ts'
import { sayFor } from './sandbox-chain.ts'

export type DevnetSyncOptions = {
  readonly clock: ShiftableClock
  readonly say: (line: string) => void
  /** Called after the time of a chain has moved. */
  readonly onMoved: () => Promise<void>
}

// A day without transactions then has 8,640 blocks. They take 2 s to replay and 4 MB in the index.
const idleBlockSeconds = 10

/** Makes all chains follow the clock. Moving the time of one chain also moves the clock and the other chains. */
export async function startDevnetSync(
  devnets: readonly Devnet[],
  { clock, say, onMoved }: DevnetSyncOptions,
): Promise<{ stop(): Promise<void> }> {
  await Promise.all(devnets.map(({ node }) => followClock(node.url, { clock, idleSeconds: idleBlockSeconds })))
  const syncs = devnets.map((devnet) =>
    startChainSync({
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
      await Promise.all(syncs.map((sync) => sync.stop()))
    },
  }
}

/** Moves a chain to the clock's time. A chain that is ahead was moved too, and the clock will follow it. */
async function moveForward(url: string, clock: ShiftableClock): Promise<void> {
  const [head] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  if (Number((head as { readonly timestamp: string }).timestamp) > clock.now() / 1000) return
  await followClock(url, { clock, idleSeconds: idleBlockSeconds })
}
