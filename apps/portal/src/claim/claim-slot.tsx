import type { PortalChain } from '@tallystick/core'
import { useLoaded } from '@tallystick/ui'
import { LazyNotice } from '../reach/lazy-notice.tsx'
import { loadChunk } from '../reach/load-chunk.ts'
import type { Wallet } from '../wallet/look-up-wallet.ts'
import type { ClaimCardProps } from './claim-card.tsx'

type SlotProps = Pick<ClaimCardProps, 'connector' | 'sent' | 'serverOffsetMs' | 'refresh'> & {
  readonly wallet: Wallet
  readonly chains: readonly PortalChain[]
  readonly isPaused: (chainId: number) => boolean
}

/** Renders what the owner can claim, one card per chain. Its code, which contains viem, loads if there is something. */
export function ClaimSlot({ wallet, chains, isPaused, ...props }: SlotProps) {
  const { address, holdings } = wallet
  const matured = holdings.filter(({ state }) => state === 'matured')
  const load = (signal: AbortSignal) => loadChunk('claim-card', () => import('./claim-card.tsx'), signal)
  const { value, error } = useLoaded(matured.length > 0, load)
  if (!value) return matured.length > 0 ? <LazyNotice error={error} class="card below" height="9rem" /> : null
  const Card = value.ClaimCard
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
