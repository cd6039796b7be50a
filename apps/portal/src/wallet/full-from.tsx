import type { Claimability } from '@tallystick/client'
import { Instant } from '@tallystick/ui'

/** Renders from when on a claim usually pays all income, or that the report is due. */
export function FullFrom({
  claimability: { completeFrom },
  at,
}: {
  readonly claimability: Pick<Claimability, 'completeFrom'>
  /** Unix seconds. */
  readonly at: bigint
}) {
  if (at >= completeFrom) return <>claimable in full once the rest of its floating income is reported, which is due</>
  return (
    <>
      claimable in full from about <Instant seconds={completeFrom} />
    </>
  )
}
