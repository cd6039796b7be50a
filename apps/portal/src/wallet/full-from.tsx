import type { Claimability } from '@tallystick/client'
import { Instant } from '../parts/instant.tsx'

/** Renders from when on a claim usually pays all income, or that a report of floating income is late. */
export function FullFrom({
  claimability: { completeFrom },
  at,
}: {
  readonly claimability: Pick<Claimability, 'completeFrom'>
  /** Unix seconds. */
  readonly at: bigint
}) {
  if (at >= completeFrom) return <>claimable in full after the report of floating income, which is late</>
  return (
    <>
      claimable in full from about <Instant seconds={completeFrom} />
    </>
  )
}
