import type { Claimability } from '@tallystick/client'
import { Instant } from '@tallystick/ui'

type FullFromProps = {
  readonly claimability: Pick<Claimability, 'completeFrom'>
  /** Unix seconds. */
  readonly at: bigint
}

/** Renders from when on a claim usually pays all income, or that the report is due. */
export function FullFrom({ claimability: { completeFrom }, at }: FullFromProps) {
  if (at >= completeFrom) return <>claimable in full once the rest of its floating income is reported, which is due</>
  return (
    <>
      claimable in full from about <Instant seconds={completeFrom} />
    </>
  )
}
