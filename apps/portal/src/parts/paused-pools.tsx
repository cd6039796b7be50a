import type { RateAnswer } from '@tallystick/client'
import { listPausedPools } from '../data/pool-status.ts'
import type { PortalChain } from '../data/portal-info.ts'
import type { Polled } from '../data/use-polled.ts'
import { Notice } from './notice.tsx'

/** Renders which pools are paused, at the top of every view. */
export function PausedPools({
  rate,
  chains,
}: {
  readonly rate: Polled<RateAnswer>
  readonly chains: readonly PortalChain[]
}) {
  return (
    <>
      {listPausedPools(rate, chains).map(({ chain, reason }) => (
        <Notice key={chain.id} tone="warn" title={`${chain.name} is paused`}>
          Nobody can lend there until the pause ends. {reason}
        </Notice>
      ))}
    </>
  )
}
