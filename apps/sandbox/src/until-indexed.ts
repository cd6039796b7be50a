import { setTimeout } from 'node:timers/promises'
import type { Service } from '@tallystick/api'

const lookMs = 100
const sayMs = 2_000

/** Resolves when the embedded subgraph knows all of the chain: `ready` means that everything answers. */
export async function untilIndexed(
  { followers }: Pick<Service, 'followers'>,
  say: (line: string) => void,
): Promise<void> {
  let saidAt = performance.now()
  for (;;) {
    const statuses = followers.map((follower) => follower.status())
    if (statuses.every(({ state, lagBlocks }) => state === 'following' && lagBlocks === 0)) return
    if (performance.now() - saidAt > sayMs) {
      for (const { head, chainHead, problem } of statuses) {
        say(problem ?? `indexing the chain: block ${head?.number ?? 0} of ${chainHead?.number ?? '?'}`)
      }
      saidAt = performance.now()
    }
    await setTimeout(lookMs)
  }
}
