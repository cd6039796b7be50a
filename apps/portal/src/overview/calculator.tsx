import { type ExpectedIncome, expectedIncome } from '@tallystick/client'
import { useState } from 'preact/hooks'
import type { Offer } from '../data/offers.ts'
import { useNow } from '../data/use-now.ts'
import { formatDollars, parseDollars } from '../format/dollars.ts'
import { formatRate } from '../format/format-rate.ts'
import { formatDate, newYorkZone } from '../format/format-time.ts'

// The pool's minimum at deployment. For a smaller amount the calculator shows a hint.
const minLend = 1_000n * 10n ** 18n

/** Renders the expected income of an amount lent now. */
export function Calculator({
  offers,
  chosen,
  floatingRate,
  serverOffsetMs,
  onChoose,
}: {
  readonly offers: readonly Offer[] | undefined
  readonly chosen: Offer | undefined
  readonly floatingRate: bigint | undefined
  readonly serverOffsetMs: number
  readonly onChoose: (offer: Offer) => void
}) {
  const [text, setText] = useState('10,000')
  const principal = parseDollars(text)
  // Rounded to the minute, because digits that change every second cannot be read.
  const lendTimestamp = BigInt(Math.floor(useNow(serverOffsetMs) / 60) * 60)
  const income =
    principal && chosen ? expectedIncome(chosen.note, { principal, lendTimestamp, floatingRate }) : undefined
  return (
    <form class="card calculator" aria-labelledby="calculator-title" onSubmit={(event) => event.preventDefault()}>
      <h2 id="calculator-title">Calculator</h2>
      <div class="field">
        <label for="amount">Amount to lend</label>
        <div class="amount">
          <span class="amount-sign" aria-hidden="true">
            $
          </span>
          <input
            id="amount"
            inputMode="decimal"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onBlur={() => principal !== undefined && setText(formatDollars(principal).replace(/\.00$/, ''))}
            aria-invalid={principal === undefined}
            aria-describedby="amount-hint"
          />
        </div>
        <p id="amount-hint" class={principal === undefined ? 'field-fault' : 'hint'}>
          {hintFor(principal)}
        </p>
      </div>
      <fieldset class="field tenors" hidden={!offers?.length}>
        <legend>Maturity, days</legend>
        <div class="segments">
          {(offers ?? []).map((offer) => (
            <label key={offer.tenorDays}>
              <input type="radio" name="tenor" checked={offer === chosen} onChange={() => onChoose(offer)} />
              <span>{offer.tenorDays}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {income && chosen && principal !== undefined ? (
        <Result {...{ income, chosen, principal, lendTimestamp, floatingRate }} />
      ) : (
        <p class="hint">
          {offers?.length ? 'Enter an amount to see its income.' : 'Income is shown once notes are available.'}
        </p>
      )}
    </form>
  )
}

function Result({
  income: { fixed, floating, net },
  chosen,
  principal,
  lendTimestamp,
  floatingRate,
}: {
  readonly income: ExpectedIncome
  readonly chosen: Offer
  readonly principal: bigint
  readonly lendTimestamp: bigint
  readonly floatingRate: bigint | undefined
}) {
  return (
    <div class="result" aria-live="polite">
      <dl class="sums">
        <Sum name="Fixed income" help={`coupon ${formatRate(chosen.note.coupon)}`} amount={fixed} id="fixed-income" />
        <Sum
          name="Expected floating"
          help={floatingRate === undefined ? 'rate unknown' : `if the rate stays at ${formatRate(floatingRate)}`}
          amount={floatingRate === undefined ? undefined : floating}
          id="floating-income"
        />
        <Sum
          name="At maturity"
          help={formatDate(chosen.note.maturityTimestamp, newYorkZone)}
          amount={principal + net}
          id="payout"
          isTotal
        />
      </dl>
      <p class="hint">
        If lent at <time dateTime={new Date(Number(lendTimestamp) * 1000).toISOString()}>this minute</time>, before a
        partner’s fee.
      </p>
    </div>
  )
}

/** Renders an amount. The value of `data` is the exact amount that the contract pays. */
function Sum({
  name,
  help,
  amount,
  id,
  isTotal,
}: {
  readonly name: string
  readonly help: string
  readonly amount: bigint | undefined
  readonly id: string
  readonly isTotal?: boolean
}) {
  return (
    <div class={isTotal ? 'sum sum-total' : 'sum'}>
      <dt>
        {name} <span class="sum-help">{help}</span>
      </dt>
      <dd>
        {amount === undefined ? (
          '–'
        ) : (
          <data id={id} value={amount.toString()}>
            ${formatDollars(amount)}
          </data>
        )}
      </dd>
    </div>
  )
}

function hintFor(principal: bigint | undefined): string {
  if (principal === undefined) return 'Enter dollars, such as 10,000 or 2500.50.'
  return principal < minLend ? 'Most pools require at least $1,000.' : 'In dollars of the pool’s token.'
}
