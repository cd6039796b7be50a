import type { OfferedNote } from '@tallystick/client'
import { Choices, formatRate, Skeleton } from '@tallystick/ui'

type TenorFieldProps = {
  readonly offered: readonly OfferedNote[]
  readonly chosen: OfferedNote | undefined
  readonly onChoose: (tenorDays: number) => void
}

/** Renders the choice of the tenor, with the coupon of each. */
export function TenorField({ offered, chosen, onChoose }: TenorFieldProps) {
  return (
    <fieldset class="field tenor-choice">
      <legend>
        <h2>For how long</h2>
      </legend>
      {offered.length === 0 ? <Skeleton height="3.4rem" width="100%" /> : null}
      <div class="segments" hidden={offered.length === 0}>
        <Choices name="lend-tenor" options={offered.map(describe)} chosen={chosen?.tenorDays} onChoose={onChoose} />
      </div>
      <p class="hint">Days, and the fixed interest per year.</p>
    </fieldset>
  )
}

function describe({ tenorDays, coupon }: OfferedNote) {
  const label = (
    <>
      {tenorDays} <small class="tenor-days">{tenorDays === 1 ? 'day' : 'days'}</small>
      <small class="tenor-coupon">{formatRate(coupon)}</small>
    </>
  )
  return { value: tenorDays, label }
}
