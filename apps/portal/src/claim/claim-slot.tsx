import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PortalChain } from '../data/portal-info.ts'
import type { Wallet } from '../wallet/look-up-wallet.ts'
import type { ClaimCardProps } from './claim-card.tsx'

type SlotProps = Pick<ClaimCardProps, 'connector' | 'serverOffsetMs' | 'refresh'> & {
  readonly wallet: Wallet
  readonly chains: readonly PortalChain[]
  readonly isPaused: (chainId: number) => boolean
}

/** Renders what the owner can claim, one card per chain. Its code, which contains viem, loads if there is something. */
export function ClaimSlot({ wallet, chains, isPaused, ...props }: SlotProps) {
  const { address, holdings } = wallet
  const [Card, setCard] = useState<ComponentType<ClaimCardProps> | undefined>(undefined)
  const matured = holdings.filter(({ state }) => state === 'matured')
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
          key={`${address} ${chain.id}`}
          {...props}
          owner={address}
          report={wallet}
          chain={chain}
          holdings={matured.filter((holding) => holding.chain.id === chain.id)}
          isPaused={isPaused(chain.id)}
        />
      ))}
    </>
  )
}
