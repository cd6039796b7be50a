import type { ExpectedIncome, OfferedNote } from '@tallystick/client'
import { type Amount, formatCents, formatRate, Instant, negate, splitCents, sumAmounts } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'

type PaymentTableProps = {
  readonly note: OfferedNote | undefined
  readonly principal: bigint | undefined
  readonly income: ExpectedIncome | undefined
  readonly partnerFeeBPS: bigint
  readonly floatingRate: bigint | undefined
}

/** Renders what a lend pays at maturity. The total is the sum of the amounts shown. */
export function PaymentTable({ note, principal, income, partnerFeeBPS, floatingRate }: PaymentTableProps) {
  const days = note === undefined ? '' : `${note.tenorDays} ${note.tenorDays === 1 ? 'day' : 'days'}`
  const parts = income && principal !== undefined ? roundParts(principal, income) : undefined
  return (
    <dl class="sums lend-sums">
      <Line name="You lend" help={days && `for ${days}`} amount={parts?.principal} />
      <Line
        name="Fixed income"
        help={note && `${formatRate(note.coupon)} per year, certain`}
        amount={parts?.fixed}
        sign="+"
        id="lend-fixed"
      />
      <Line
        name="Floating income"
        help={
          floatingRate === undefined ? 'rate unknown' : `estimate, if the rate stays at ${formatRate(floatingRate)}`
        }
        amount={floatingRate === undefined ? undefined : parts?.floating}
        sign="+ about "
        id="lend-floating"
      />
      <Line
        name="Partner’s fee"
        help={partnerFeeBPS === 0n ? 'no partner' : `${formatRate(partnerFeeBPS)} of the income`}
        amount={partnerFeeBPS === 0n ? undefined : parts?.fee}
        sign="−"
        none="none"
        id="lend-fee"
      />
      <Line
        name="You get"
        help={
          income && (
            <>
              when you claim it, from about <Instant seconds={income.holdsFrom} /> on
            </>
          )
        }
        amount={parts?.total}
        sign={floatingRate === undefined ? 'at least ' : 'about '}
        id="lend-total"
        isTotal
      />
    </dl>
  )
}

/** Returns the parts as they are shown. They add up to the total, which is rounded down once. */
function roundParts(principal: bigint, { fixed, floating, fee }: ExpectedIncome) {
  const parts = splitCents([principal, fixed, floating, -fee]) as [Amount, Amount, Amount, Amount]
  const [lent, fixedPart, floatingPart, deducted] = parts
  return {
    principal: lent,
    fixed: fixedPart,
    floating: floatingPart,
    fee: negate(deducted),
    total: sumAmounts(parts),
  }
}

type LineProps = {
  readonly name: string
  readonly help: ComponentChildren
  readonly amount: Amount | undefined
  readonly sign?: string
  /** Shown without an amount. */
  readonly none?: string
  readonly id?: string
  readonly isTotal?: boolean
}

function Line({ name, help, amount, sign = '', none = '–', id, isTotal = false }: LineProps) {
  return (
    <div class={isTotal ? 'spread sum sum-total ruled-top' : 'spread sum'}>
      <dt>
        {name} {help ? <span class="sub">{help}</span> : null}
      </dt>
      <dd id={id}>{amount === undefined ? none : `${sign}$${formatCents(amount.cents)}`}</dd>
    </div>
  )
}
