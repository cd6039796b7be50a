import { useCallback } from 'preact/hooks'
import type { Session } from '../data/session.ts'
import { usePolled } from '../data/use-polled.ts'

/** What the service knows about a chain. A value is undefined while it is unknown. */
export type ChainFacts = {
  readonly status: 'open' | 'paused' | 'unknown' | undefined
  /** Basis points per 360-day year. */
  readonly floatingRate: bigint | undefined
  readonly minLend: bigint | undefined
  /** Whether the dollar accepts signed permits, so that no approval is needed. */
  readonly hasPermit: boolean | undefined
}

const rateIntervalMs = 15_000
// Contracts and limits hardly ever change. The interval retries a failed request.
const chainsIntervalMs = 60_000

export function useChainFacts({
  session,
  chainId,
  isOpen,
}: {
  readonly session: Session | undefined
  readonly chainId: number
  readonly isOpen: boolean
}): ChainFacts {
  const readRate = useCallback((signal: AbortSignal) => (session as Session).client.rate({ signal }), [session])
  const readChains = useCallback((signal: AbortSignal) => (session as Session).client.chains({ signal }), [session])
  const isOn = isOpen && session !== undefined
  const rate = usePolled(isOn ? readRate : undefined, rateIntervalMs).value
  const chains = usePolled(isOn ? readChains : undefined, chainsIntervalMs).value
  const chainRate = rate?.chains.find((chain) => chain.chainId === chainId)
  const known = chains?.find((chain) => chain.chainId === chainId)
  return {
    status: chainRate?.status,
    floatingRate: chainRate?.floatingRate ?? undefined,
    minLend: known?.limits.minLend ?? undefined,
    hasPermit: known?.dollar ? known.dollar.domain !== null : undefined,
  }
}
