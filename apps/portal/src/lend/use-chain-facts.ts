import type { RateAnswer } from '@tallystick/client'
import { type Polled, usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { Session } from '../data/session.ts'

/** What the service knows about a chain. A value is undefined while it is unknown. */
export type ChainFacts = {
  /** Basis points per 360-day year. */
  readonly floatingRate: bigint | undefined
  readonly minLend: bigint | undefined
  /** Whether the dollar accepts signed permits, so that no approval is needed. */
  readonly hasPermit: boolean | undefined
}

// Contracts and limits hardly ever change. The interval retries a failed request.
const chainsIntervalMs = 60_000

type UseChainFactsOptions = {
  readonly session: Session | undefined
  readonly rate: Polled<RateAnswer>
  readonly chainId: number
  readonly isOpen: boolean
}

export function useChainFacts({ session, rate, chainId, isOpen }: UseChainFactsOptions): ChainFacts {
  const readChains = useCallback((signal: AbortSignal) => (session as Session).client.chains({ signal }), [session])
  const isOn = isOpen && session !== undefined
  const chains = usePolled(isOn ? readChains : undefined, chainsIntervalMs).value
  const chainRate = rate.value?.chains.find((chain) => chain.chainId === chainId)
  const known = chains?.find((chain) => chain.chainId === chainId)
  return {
    floatingRate: chainRate?.floatingRate ?? undefined,
    minLend: known?.limits.minLend ?? undefined,
    hasPermit: known?.dollar ? known.dollar.domain !== null : undefined,
  }
}
