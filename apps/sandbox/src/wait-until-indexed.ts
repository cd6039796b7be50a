import { setTimeout } from 'node:timers/promises'
import { createLogThrottle } from '@tallystick/base'
import type { Service } from '@tallystick/service'
import { type SandboxChain, sayFor } from './devnet/sandbox-chain.ts'

const pollMs = 100
const sayMs = 2_000

/** Waits until the embedded subgraph of every chain has indexed all blocks. */
export async function waitUntilIndexed(
  { followers }: Pick<Service, 'followers'>,
  { chains, say }: { readonly chains: readonly SandboxChain[]; readonly say: (line: string) => void },
): Promise<void> {
  const isDue = createLogThrottle({ monotonicNow: () => performance.now(), everyMs: sayMs })
  isDue()
  for (;;) {
    const statuses = followers.map((follower) => follower.status())
    if (statuses.every(({ state, lagBlocks }) => state === 'following' && lagBlocks === 0)) return
    if (isDue()) {
      // The service has a follower for each chain of its configuration, in the same order.
      for (const [index, { head, chainHead, problem }] of statuses.entries()) {
        const sayOfChain = sayFor(chains[index] as SandboxChain, say)
        sayOfChain(problem ?? `indexing the chain: block ${head?.number ?? 0} of ${chainHead?.number ?? '?'}`)
      }
    }
    await setTimeout(pollMs)
  }
}
