import { type ExpectedIncome, expectedIncome } from '@tallystick/client'
import { Choices, formatRate, Instant, parseDollars, splitCents, sumAmounts, useNow } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { Offer } from '../data/offers.ts'
import { hrefOfLend } from '../lend/lend-choice.ts'
import { DollarInput } from '../parts/dollar-input.tsx'
import { Sum } from '../parts/sum.tsx'

// The pool's minimum at deployment. For a smaller amount the calculator shows a hint.
const minLend = 1_000n * 10n ** 18n

type CalculatorProps = {
  readonly offers: readonly Offer[] | undefined
  readonly chosen: Offer | undefined
  readonly floatingRate: bigint | undefined
  readonly isRateLoading: boolean
  readonly serverOffsetMs: number
  readonly onChoose: (offer: Offer) => void
}

/** Renders the expected income of an amount lent now. */
export function Calculator({ offers, chosen, floatingRate, isRateLoading, serverOffsetMs, onChoose }: CalculatorProps) {
  const [text, setText] = useState('10,000.00')
  const { amount: principal, fault } = parseDollars(text)
  // Rounded to the minute, because digits that change every second cannot be read.
  const lendTimestamp = BigInt(Math.floor(useNow(serverOffsetMs) / 60) * 60)
  const income = principal && chosen ? expectedIncome(chosen, { principal, lendTimestamp, floatingRate }) : undefined
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
      <fieldset class="field tenors" hidden={!offers?.length}>
        <legend>Maturity, days</legend>
        <div class="segments">
          <Choices
            name="tenor"
            options={(offers ?? []).map(({ tenorDays }) => ({ value: tenorDays, label: tenorDays }))}
            chosen={chosen?.tenorDays}
            onChoose={(days) => onChoose(offers?.find(({ tenorDays }) => tenorDays === days) as Offer)}
          />
        </div>
      </fieldset>
      {income && chosen && principal !== undefined ? (
        <Result {...{ income, chosen, principal, lendTimestamp, floatingRate, isRateLoading }} />
      ) : (
        <p class="hint">
          {offers?.length ? 'Enter an amount to see its income.' : 'Income is shown once notes are available.'}
        </p>
      )}
      {chosen ? (
        <a class="primary" href={hrefOfLend({ chainId: chosen.chainId, tenorDays: chosen.tenorDays })}>
          {`Lend for ${chosen.tenorDays} ${chosen.tenorDays === 1 ? 'day' : 'days'}`}
        </a>
      ) : null}
    </form>
  )
}

type ResultProps = Pick<CalculatorProps, 'floatingRate' | 'isRateLoading'> & {
  readonly income: ExpectedIncome
  readonly chosen: Offer
  readonly principal: bigint
  readonly lendTimestamp: bigint
}

function Result({ income, chosen, principal, lendTimestamp, floatingRate, isRateLoading }: ResultProps) {
  const parts = splitCents([principal, income.fixed, income.floating])
  const [, fixed, floating] = parts
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
          amount={sumAmounts(parts)}
          id="payout"
          isTotal
        />
      </dl>
      <p class="hint">
        If lent at <time dateTime={new Date(Number(lendTimestamp) * 1000).toISOString()}>this minute</time>, before a
        partner’s fee, and claimed from about <Instant seconds={income.holdsFrom} /> on.
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
