import type { ExpectedIncome, OfferedNote } from '@tallystick/client'
import { formatDollars } from '../format/dollars.ts'
import { formatRate } from '../format/format-rate.ts'
import { formatDate, newYorkZone } from '../format/format-time.ts'

const cent = 10n ** 16n

/** Renders what a lend pays at maturity. The total is the sum of the amounts shown. */
export function PaymentTable({
  note,
  principal,
  income,
  partnerFeeBPS,
  floatingRate,
}: {
  readonly note: OfferedNote | undefined
  readonly principal: bigint | undefined
  readonly income: ExpectedIncome | undefined
  readonly partnerFeeBPS: bigint
  readonly floatingRate: bigint | undefined
}) {
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
        help={note && `on ${formatDate(note.maturityTimestamp, newYorkZone)}, when you claim it`}
        amount={parts?.total}
        sign={floatingRate === undefined ? 'at least ' : 'about '}
        id="lend-total"
        isTotal
      />
    </dl>
  )
}

/** Rounds each part down to cents, the fee up, and adds up what is shown. */
function roundParts(principal: bigint, { fixed, floating, fee }: ExpectedIncome) {
  const down = (amount: bigint) => (amount / cent) * cent
  const parts = { principal: down(principal), fixed: down(fixed), floating: down(floating), fee: down(fee + cent - 1n) }
  return { ...parts, total: parts.principal + parts.fixed + parts.floating - parts.fee }
}

function Line({
  name,
  help,
  amount,
  sign = '',
  none = '–',
  id,
  isTotal = false,
}: {
  readonly name: string
  readonly help: string | undefined
  readonly amount: bigint | undefined
  readonly sign?: string
  /** Shown without an amount. */
  readonly none?: string
  readonly id?: string
  readonly isTotal?: boolean
}) {
  return (
    <div class={isTotal ? 'sum sum-total' : 'sum'}>
      <dt>
        {name} {help ? <span class="sum-help">{help}</span> : null}
      </dt>
      <dd id={id}>{amount === undefined ? none : `${sign}$${formatDollars(amount)}`}</dd>
    </div>
  )
}
