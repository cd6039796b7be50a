import { type ExpectedIncome, expectedIncome } from '@tallystick/client'
import { Button, Choices, formatRate, Ghost, Instant, parseDollars, useNow } from '@tallystick/ui'
import { lendDeadline, roundIncome } from '../data/certain-income.ts'
import type { Offer } from '../data/offers.ts'
import { defaultAmount, hrefOfLend, hrefOfOverview, type LendChoice } from '../lend/lend-choice.ts'
import { DollarInput } from '../parts/dollar-input.tsx'
import { Sum } from '../parts/sum.tsx'
import { useLinkedAmount } from '../parts/use-linked-amount.ts'
import { WaitingChoices } from '../parts/waiting-choices.tsx'

// The pool's minimum at deployment. For a smaller amount the calculator shows a hint.
const minLend = 1_000n * 10n ** 18n

type CalculatorProps = {
  readonly choice: LendChoice
  readonly offers: readonly Offer[] | undefined
  readonly chosen: Offer | undefined
  readonly floatingRate: bigint | undefined
  readonly isRateLoading: boolean
  readonly serverOffsetMs: number
  readonly onChoose: (offer: Offer) => void
}

/** Renders the expected income of an amount lent soon. */
export function Calculator(props: CalculatorProps) {
  const { choice, offers, chosen, floatingRate, isRateLoading, serverOffsetMs, onChoose } = props
  const link = { chainId: choice.chain.id, tenorDays: chosen?.tenorDays ?? choice.tenorDays }
  const [text, setText] = useLinkedAmount({
    view: 'overview',
    linked: choice.amount ?? defaultAmount,
    hrefOf: (amount) => hrefOfOverview({ ...link, amount }),
  })
  const { amount: principal, fault } = parseDollars(text)
  const now = useNow(serverOffsetMs)
  const lendTimestamp = chosen && lendDeadline(now, chosen.validBefore)
  const income =
    principal && chosen && lendTimestamp !== undefined
      ? expectedIncome(chosen, { principal, lendTimestamp, floatingRate })
      : undefined
  return (
    <form class="card calculator grid" aria-labelledby="calculator-title" onSubmit={(event) => event.preventDefault()}>
      <h2 id="calculator-title">Calculator</h2>
      <div class="field">
        <label for="amount">Amount to lend</label>
        <DollarInput id="amount" {...{ text, setText, principal }} isValid={fault === undefined} />
        <p id="amount-hint" class={fault === undefined ? 'hint' : 'field-fault'}>
          {fault ?? hintFor(principal)}
        </p>
      </div>
      <fieldset class="field tenors" hidden={offers?.length === 0}>
        <legend>Maturity, days</legend>
        {offers ? (
          <div class="segments">
            <Choices
              name="tenor"
              options={offers.map(({ tenorDays }) => ({ value: tenorDays, label: tenorDays }))}
              chosen={chosen?.tenorDays}
              onChoose={(days) => onChoose(offers.find(({ tenorDays }) => tenorDays === days) as Offer)}
            />
          </div>
        ) : (
          <WaitingChoices class="segments" describe={String} />
        )}
      </fieldset>
      {income && chosen && principal !== undefined && lendTimestamp !== undefined ? (
        <Result {...{ income, chosen, principal, lendTimestamp, floatingRate, isRateLoading }} />
      ) : offers ? (
        <p class="hint">
          {offers.length > 0 ? 'Enter an amount to see its income.' : 'Income is shown once notes are available.'}
        </p>
      ) : (
        waitingResult
      )}
      {chosen ? (
        <a class="primary" href={hrefOfLend({ ...link, amount: principal })}>
          {`Lend for ${chosen.tenorDays} ${chosen.tenorDays === 1 ? 'day' : 'days'}`}
        </a>
      ) : null}
    </form>
  )
}

// As large as the result will be, with the button.
const waitingResult = (
  <>
    <div class="result" aria-hidden="true">
      <dl class="sums">
        <Sum name="Fixed income" help={<Ghost text="coupon 3.62%" />} amount={undefined} />
        <Sum name="Expected floating" help={<Ghost text="if the rate stays at 13.52%" />} amount={undefined} />
        <Sum name="At maturity" help={<Ghost text="13 Dec 2026" />} amount={undefined} isTotal />
      </dl>
      <p class="hint">
        <Ghost text="The fixed income is certain for a lend mined by 13 Nov 2026, 18:00 New York. All is before a partner’s fee, and for a claim from about 14 Dec 2026, 19:00 New York on." />
      </p>
    </div>
    <Button class="primary" label="Lend" disabled />
  </>
)

type ResultProps = Pick<CalculatorProps, 'floatingRate' | 'isRateLoading'> & {
  readonly income: ExpectedIncome
  readonly chosen: Offer
  readonly principal: bigint
  readonly lendTimestamp: bigint
}

function Result({ income, chosen, principal, lendTimestamp, floatingRate, isRateLoading }: ResultProps) {
  const { fixed, floating, total } = roundIncome(principal, income)
  return (
    <div class="result" aria-live="polite">
      <dl class="sums">
        <Sum name="Fixed income" help={`coupon ${formatRate(chosen.coupon)}`} amount={fixed} id="fixed-income" />
        <Sum
          name="Expected floating"
          help={floatingHelp(floatingRate, isRateLoading)}
          amount={floatingRate === undefined ? undefined : floating}
          id="floating-income"
        />
        <Sum
          name="At maturity"
          help={
            <>
              <Instant seconds={chosen.maturityTimestamp} only="date" />
              {floatingRate === undefined ? ', without floating income' : null}
            </>
          }
          amount={total}
          id="payout"
          isTotal
        />
      </dl>
      <p class="hint">
        The fixed income is certain for a lend mined by <Instant seconds={lendTimestamp} />. All is before a partner’s
        fee, and for a claim from about <Instant seconds={income.holdsFrom} /> on.
      </p>
    </div>
  )
}

function floatingHelp(floatingRate: bigint | undefined, isRateLoading: boolean): string {
  if (floatingRate !== undefined) return `if the rate stays at ${formatRate(floatingRate)}`
  return isRateLoading ? 'the rate is loading' : 'rate unknown'
}

function hintFor(principal = 0n): string {
  return principal < minLend ? 'Most pools require at least $1,000.' : 'In dollars of the pool’s token.'
}
