import { formatCents } from '../format/cents.ts'
import { Pill } from '../parts/pill.tsx'
import type { Holding } from './look-up-wallet.ts'

/** Renders whether a position is lent, matured or claimed, and what its claim pays. */
export function HoldingState({ holding: { state, amounts } }: { readonly holding: Holding }) {
  const payout = amounts.payout && `$${formatCents(amounts.payout.cents)}`
  switch (state) {
    case 'lent':
      return <Pill tone="good">Lent</Pill>
    case 'matured':
      return (
        <>
          <Pill tone="warn">{maturedText}</Pill>
          {payout ? (
            <span class="state-detail">
              pays {payout}
              {amounts.income && amounts.income.fee.cents > 0n ? (
                <>
                  ,<br />
                  after a fee of ${formatCents(amounts.income.fee.cents)}
                </>
              ) : null}
            </span>
          ) : null}
        </>
      )
    case 'claimed':
      return (
        <>
          <Pill tone="calm">Claimed</Pill>
          {payout && amounts.paidIncome ? (
            <span class="state-detail">
              paid {payout},<br />
              income ${formatCents(amounts.paidIncome.cents)}
            </span>
          ) : null}
        </>
      )
  }
}

export const maturedText = 'Matured, can be claimed'
