import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PortalChain } from '../data/portal-info.ts'
import type { Holding } from '../wallet/look-up-wallet.ts'
import type { ClaimCardProps } from './claim-card.tsx'

type SlotProps = Omit<ClaimCardProps, 'chain' | 'holdings' | 'isPaused'> & {
  readonly chains: readonly PortalChain[]
  /** All positions of the owner. */
  readonly holdings: readonly Holding[]
  /** Instant at which the report was made, in Unix seconds. */
  readonly at: bigint
  /** Chains whose pool is paused. */
  readonly pausedChains: readonly number[]
}

/** Renders what the owner can claim, one card per chain. Its code, which contains viem, loads if there is something. */
export function ClaimSlot({ chains, holdings, at, pausedChains, ...props }: SlotProps) {
  const [Card, setCard] = useState<ComponentType<ClaimCardProps> | undefined>(undefined)
  const matured = holdings.filter(({ status, maturityTimestamp }) => status === 'Active' && maturityTimestamp <= at)
  const isNeeded = matured.length > 0
  useEffect(() => {
    if (!isNeeded || Card) return
    import('./claim-card.tsx').then(
      ({ ClaimCard }) => setCard(() => ClaimCard),
      // The positions stay in the list. A reload tries again.
      () => undefined,
    )
  }, [isNeeded, Card])
  if (!Card) return null
  return (
    <>
      {chains.map((chain) => (
        <Card
          key={`${props.owner} ${chain.id}`}
          {...props}
          chain={chain}
          holdings={matured.filter((holding) => holding.chain.id === chain.id)}
          isPaused={pausedChains.includes(chain.id)}
        />
      ))}
    </>
  )
}
