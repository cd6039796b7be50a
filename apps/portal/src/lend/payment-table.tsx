import { type ExpectedIncome, expectedIncome, type OfferedNote } from '@tallystick/client'
import { formatRate, Ghost, Instant } from '@tallystick/ui'
import { roundIncome } from '../data/certain-income.ts'
import { Sum } from '../parts/sum.tsx'

export type Payment = {
  readonly note: OfferedNote | undefined
  readonly principal: bigint | undefined
  readonly partnerFeeBPS: bigint
  /** Second of the lend's block, or the last one for which the amounts hold. Undefined without a note. */
  readonly lendTimestamp: bigint | undefined
  readonly isMined: boolean
  readonly floatingRate: bigint | undefined
}

/** Returns the expected income of a payment, or undefined while too little is known. */
export function incomeOf({ note, principal, lendTimestamp, floatingRate, partnerFeeBPS }: Payment) {
  if (!note || !principal || lendTimestamp === undefined) return undefined
  return expectedIncome(note, { principal, lendTimestamp, floatingRate, partnerFeeBPS })
}

type PaymentTableProps = Payment & { readonly income: ExpectedIncome | undefined }

/** Renders what a lend pays at maturity. The total is the sum of the amounts shown. */
export function PaymentTable(props: PaymentTableProps) {
  const { note, principal, income, partnerFeeBPS, lendTimestamp, isMined, floatingRate } = props
  const days = note === undefined ? '' : `${note.tenorDays} ${note.tenorDays === 1 ? 'day' : 'days'}`
  const parts = income && principal !== undefined ? roundIncome(principal, income) : undefined
  return (
    <dl class="sums lend-sums">
      <Sum name="You lend" help={days ? `for ${days}` : <Ghost text="for 30 days" />} amount={parts?.principal} />
      <Sum
        name="Fixed income"
        help={
          note ? (
            <Certainty note={note} deadline={isMined ? undefined : lendTimestamp} />
          ) : (
            <Ghost text="3.69% per year, certain if mined by 18:00 New York" />
          )
        }
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
          note === undefined ? (
            <Ghost text="when you claim it, from about 15 Dec 2026, 19:00 New York on" />
          ) : (
            income && (
              <>
                when you claim it, from about <Instant seconds={income.holdsFrom} /> on
              </>
            )
          )
        }
        amount={parts?.total}
        none={note ? undefined : <Ghost text="about $10,134.73" />}
        sign={floatingRate === undefined ? 'at least ' : 'about '}
        id="lend-total"
        isTotal
      />
    </dl>
  )
}

/** Renders until when a lend has to be mined to pay this at least. Once it is mined, the amount is exact. */
function Certainty({ note, deadline }: { readonly note: OfferedNote; readonly deadline: bigint | undefined }) {
  const rate = `${formatRate(note.coupon)} per year, certain`
  if (deadline === undefined) return <>{rate}</>
  return (
    <>
      {rate} if mined by <Instant seconds={deadline} only="time" />
    </>
  )
}
