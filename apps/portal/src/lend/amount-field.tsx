import type { PortalChain } from '@tallystick/core'
import { Button, formatDollars, formatExact } from '@tallystick/ui'
import type { Connection } from '../connect/connector.ts'
import { WalletErrorNotice } from '../connect/wallet-picker.tsx'
import { DollarInput } from '../parts/dollar-input.tsx'
import type { JudgedAmount } from './judge-amount.ts'
import type { Lender } from './use-lender.ts'

type AmountFieldProps = {
  readonly text: string
  readonly setText: (text: string) => void
  readonly amount: JudgedAmount
  readonly lender: Lender | undefined
  /** Why the account cannot be read. */
  readonly error: unknown
  readonly chain: PortalChain
  readonly connection: Connection | undefined
}

/** Renders the amount to lend, with the balance of the account. */
export function AmountField({ text, setText, amount, lender, error, chain, connection }: AmountFieldProps) {
  const { principal, fault } = amount
  return (
    <div class="field">
      <h2>
        <label for="lend-amount">Amount</label>
      </h2>
      <div class="lend-amount-row flex">
        <DollarInput id="lend-amount" {...{ text, setText, principal }} isValid={fault === undefined} maxLength={60} />
        <Button
          label="Max"
          disabled={!lender || lender.balance === 0n}
          onClick={() => lender && setText(formatExact(lender.balance))}
        />
      </div>
      <p id="lend-amount-hint" class={fault ? 'field-fault' : 'hint'}>
        {fault ?? balanceHint({ lender, chain, connection })}
      </p>
      {error !== undefined && !lender ? <WalletErrorNotice error={error} /> : null}
    </div>
  )
}

function balanceHint({ lender, chain, connection }: Pick<AmountFieldProps, 'lender' | 'chain' | 'connection'>): string {
  if (lender) return `You have $${formatDollars(lender.balance)} on ${chain.name}.`
  if (!connection) return 'In dollars of the pool’s token.'
  if (connection.chainId !== chain.id) return `Your balance is shown once your wallet is on ${chain.name}.`
  return 'Reading your balance…'
}
