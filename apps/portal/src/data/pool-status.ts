import type { RateAnswer } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import type { Polled } from '@tallystick/ui'

const states = ['paused', 'rejecting'] as const

type Closure = { readonly state: (typeof states)[number]; readonly reason: string }

/** Returns why a pool accepts no loans by the last answer of `/rate`, or undefined. Nothing is said while it is unknown. */
function findClosure({ value }: Polled<RateAnswer>, chainId: number): Closure | undefined {
  const chain = value?.chains.find((candidate) => candidate.chainId === chainId)
  const state = states.find((closed) => closed === chain?.status)
  return chain && state && { state, reason: chain.statusReason }
}

/** Returns whether nobody can lend to or claim from a pool, so that the page must not offer it. */
export function isPoolPaused(rate: Polled<RateAnswer>, chainId: number): boolean {
  return findClosure(rate, chainId)?.state === 'paused'
}

/** Returns why nobody can lend to a pool because it would reject every note, or undefined. Claims may still work. */
export function findRejection(rate: Polled<RateAnswer>, chainId: number): string | undefined {
  const closure = findClosure(rate, chainId)
  return closure?.state === 'rejecting' ? closure.reason : undefined
}

/** Returns the chains whose pools accept no loans, with the reason. */
export function listClosedPools(
  rate: Polled<RateAnswer>,
  chains: readonly PortalChain[],
): readonly (Closure & { readonly chain: PortalChain })[] {
  return chains.flatMap((chain) => {
    const closure = findClosure(rate, chain.id)
    return closure ? [{ chain, ...closure }] : []
  })
}
