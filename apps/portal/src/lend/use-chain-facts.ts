import { usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { PageState } from '../data/page-state.ts'
import type { Session } from '../data/session.ts'

export type ChainFacts = ReturnType<typeof useChainFacts>

// Contracts and limits hardly ever change. The interval retries a failed request.
const chainsIntervalMs = 60_000

type UseChainFactsOptions = Pick<PageState, 'session' | 'rate'> & {
  readonly chainId: number
  readonly isOpen: boolean
}

/** Returns what the service knows about a chain. A value is undefined while it is unknown. */
export function useChainFacts({ session, rate, chainId, isOpen }: UseChainFactsOptions) {
  const readChains = useCallback((signal: AbortSignal) => (session as Session).client.chains({ signal }), [session])
  const isOn = isOpen && session !== undefined
  const chains = usePolled(isOn ? readChains : undefined, chainsIntervalMs).value
  const chainRate = rate.value?.chains.find((chain) => chain.chainId === chainId)
  const known = chains?.find((chain) => chain.chainId === chainId)
  return {
    /** Basis points per 360-day year. */
    floatingRate: chainRate?.floatingRate ?? undefined,
    minLend: known?.limits.minLend ?? undefined,
    /** Whether the dollar accepts signed permits, so that no approval is needed. */
    hasPermit: known?.dollar ? known.dollar.domain !== null : undefined,
  }
}
