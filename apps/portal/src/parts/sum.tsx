import { type Amount, formatCents } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'

type SumProps = {
  readonly name: string
  readonly help: ComponentChildren
  readonly amount: Amount | undefined
  readonly id?: string
  /** Shown before the amount. */
  readonly sign?: string
  /** Shown without an amount. */
  readonly none?: ComponentChildren
  readonly isTotal?: boolean
}

/** Renders a line of a sum. The value of `data` is the exact amount that the contract pays. The parent is a `dl`. */
export function Sum({ name, help, amount, id, sign = '', none, isTotal }: SumProps) {
  return (
    <div class={isTotal ? 'spread sum sum-total ruled-top' : 'spread sum'}>
      <dt>
        {name} {help ? <span class="sub">{help}</span> : null}
      </dt>
      <dd>
        {amount === undefined ? (
          (none ?? '–')
        ) : (
          <data id={id} value={amount.exact.toString()}>{`${sign}$${formatCents(amount.cents)}`}</data>
        )}
      </dd>
    </div>
  )
}
