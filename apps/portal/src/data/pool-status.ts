import type { RateAnswer } from '@tallystick/client'
import type { PortalChain } from './portal-info.ts'
import type { Polled } from './use-polled.ts'

/** State of a chain's pool. While it loads, nothing is said about it. */
export type PoolStatus =
  | { readonly state: 'loading' }
  | { readonly state: 'open' | 'paused' | 'unknown'; readonly reason: string }

/** Returns the state of a chain's pool from the last answer of `/rate`. */
export function poolStatusOf({ value, error }: Polled<RateAnswer>, chainId: number): PoolStatus {
  const chain = value?.chains.find((candidate) => candidate.chainId === chainId)
  if (chain) return { state: toState(chain.status), reason: chain.statusReason }
  if (!value && error === undefined) return { state: 'loading' }
  return { state: 'unknown', reason: 'The state of the pool could not be read.' }
}

/** A status that the page does not know counts as unknown. */
function toState(status: string): 'open' | 'paused' | 'unknown' {
  return status === 'open' || status === 'paused' ? status : 'unknown'
}

/** Returns whether nobody can lend to or claim from a pool, so that the page must not offer it. */
export function isPoolPaused(rate: Polled<RateAnswer>, chainId: number): boolean {
  return poolStatusOf(rate, chainId).state === 'paused'
}

/** Returns the chains whose pools are paused, with the reason. */
export function listPausedPools(
  rate: Polled<RateAnswer>,
  chains: readonly PortalChain[],
): readonly { readonly chain: PortalChain; readonly reason: string }[] {
  return chains.flatMap((chain) => {
    const status = poolStatusOf(rate, chain.id)
    return status.state === 'paused' ? [{ chain, reason: status.reason }] : []
  })
}
