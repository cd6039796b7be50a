import type { RateAnswer } from '@tallystick/client'
import { Notice, type Polled } from '@tallystick/ui'
import { listClosedPools } from '../data/pool-status.ts'
import type { PortalChain } from '../data/portal-info.ts'

const titles = { paused: 'is paused', rejecting: 'rejects loans' } as const
const hints = {
  paused: 'Nobody can lend there until the pause ends.',
  rejecting: 'Nobody can lend there until the operator has fixed it.',
} as const

type ClosedPoolsProps = {
  readonly rate: Polled<RateAnswer>
  readonly chains: readonly PortalChain[]
}

/** Renders which pools accept no loans, at the top of every view. */
export function ClosedPools({ rate, chains }: ClosedPoolsProps) {
  return (
    <>
      {listClosedPools(rate, chains).map(({ chain, state, reason }) => (
        <Notice key={chain.id} tone="warn" title={`${chain.name} ${titles[state]}`}>
          {hints[state]} {reason}
        </Notice>
      ))}
    </>
  )
}
