import type { ExpectedIncome, OfferedNote } from '@tallystick/client'
import { type Amount, formatRate, Instant, negate, splitCents, sumAmounts } from '@tallystick/ui'
import { Sum } from '../parts/sum.tsx'

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
      <Sum name="You lend" help={days && `for ${days}`} amount={parts?.principal} />
      <Sum
        name="Fixed income"
        help={note && `${formatRate(note.coupon)} per year, certain`}
        amount={parts?.fixed}
        sign="+"
        id="lend-fixed"
      />
      <Sum
        name="Floating income"
        help={
          floatingRate === undefined ? 'rate unknown' : `estimate, if the rate stays at ${formatRate(floatingRate)}`
        }
        amount={floatingRate === undefined ? undefined : parts?.floating}
        sign="+ about "
        id="lend-floating"
      />
      <Sum
        name="Partner’s fee"
        help={partnerFeeBPS === 0n ? 'no partner' : `${formatRate(partnerFeeBPS)} of the income`}
        amount={partnerFeeBPS === 0n ? undefined : parts?.fee}
        sign="−"
        none="none"
        id="lend-fee"
      />
      <Sum
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
function roundParts(principal: bigint, income: ExpectedIncome) {
  const parts = splitCents([principal, income.fixed, income.floating, -income.fee]) as [Amount, Amount, Amount, Amount]
  const [lent, fixed, floating, deducted] = parts
  return { principal: lent, fixed, floating, fee: negate(deducted), total: sumAmounts(parts) }
}
