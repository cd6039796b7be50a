import type { RateAnswer } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import type { Polled } from '@tallystick/ui'

/** State of a chain's pool. While it loads, nothing is said about it. */
export type PoolStatus = { readonly state: 'loading' } | { readonly state: KnownState; readonly reason: string }

type KnownState = (typeof states)[number]
const states = ['open', 'paused', 'rejecting', 'unknown'] as const

/** Returns the state of a chain's pool from the last answer of `/rate`. */
export function poolStatusOf({ value, error }: Polled<RateAnswer>, chainId: number): PoolStatus {
  const chain = value?.chains.find((candidate) => candidate.chainId === chainId)
  if (chain) return { state: toState(chain.status), reason: chain.statusReason }
  if (!value && error === undefined) return { state: 'loading' }
  return { state: 'unknown', reason: 'The state of the pool could not be read.' }
}

/** A status that the page does not know counts as unknown. */
function toState(status: string): KnownState {
  return states.find((state) => state === status) ?? 'unknown'
}

/** Returns whether nobody can lend to or claim from a pool, so that the page must not offer it. */
export function isPoolPaused(rate: Polled<RateAnswer>, chainId: number): boolean {
  return poolStatusOf(rate, chainId).state === 'paused'
}

/** Returns why nobody can lend to a pool because it would reject every note, or undefined. Claims may still work. */
export function findRejection(rate: Polled<RateAnswer>, chainId: number): string | undefined {
  const status = poolStatusOf(rate, chainId)
  return status.state === 'rejecting' ? status.reason : undefined
}

/** Returns the chains whose pools accept no loans, with the reason. */
export function listClosedPools(
  rate: Polled<RateAnswer>,
  chains: readonly PortalChain[],
): readonly { readonly chain: PortalChain; readonly state: 'paused' | 'rejecting'; readonly reason: string }[] {
  return chains.flatMap((chain) => {
    const status = poolStatusOf(rate, chain.id)
    if (status.state !== 'paused' && status.state !== 'rejecting') return []
    return [{ chain, state: status.state, reason: status.reason }]
  })
}
