import type { Claimability } from '@tallystick/client'
import { formatCents, Instant, Pill } from '@tallystick/ui'
import type { Holding } from './look-up-wallet.ts'

/** Renders whether a position is lent, matured or claimed, and what its claim pays. */
export function HoldingState({ holding }: { readonly holding: Holding }) {
  const { state, amounts } = holding
  const payout = amounts.payout && `$${formatCents(amounts.payout.cents)}`
  switch (state) {
    case 'lent':
      return (
        <>
          <Pill tone="good">Lent</Pill>
          <Incomplete holding={holding} />
        </>
      )
    case 'matured':
      return (
        <>
          <Pill tone="warn">{maturedText(holding)}</Pill>
          {payout ? (
            <span class="state-detail block soft">
              pays {payout}
              {isIncomplete(holding) ? ' now' : ''}
              {amounts.income && amounts.income.fee.cents > 0n ? (
                <>
                  ,<br />
                  after a fee of ${formatCents(amounts.income.fee.cents)}
                </>
              ) : null}
            </span>
          ) : null}
          <Incomplete holding={holding} />
        </>
      )
    case 'claimed':
      return (
        <>
          <Pill tone="calm">Claimed</Pill>
          {payout && amounts.paidIncome ? (
            <span class="state-detail block soft">
              paid {payout},<br />
              income ${formatCents(amounts.paidIncome.cents)}
            </span>
          ) : null}
        </>
      )
  }
}

/** Renders when a position that a claim would not pay in full now is usually complete. */
function Incomplete({ holding: { claimability, at } }: { readonly holding: Holding }) {
  if (!claimability || claimability.status === 'complete') return null
  return (
    <span class="state-detail block soft">
      <FullFrom {...{ claimability, at }} />
    </span>
  )
}

/** Returns the state of a matured position. */
export function maturedText({ claimability }: Pick<Holding, 'claimability'>): string {
  return isIncomplete({ claimability }) ? 'Matured, not complete' : 'Matured, can be claimed'
}

function isIncomplete({ claimability }: Pick<Holding, 'claimability'>): boolean {
  return claimability?.status === 'income_not_reported'
}

type FullFromProps = {
  readonly claimability: Pick<Claimability, 'completeFrom'>
  /** Unix seconds. */
  readonly at: bigint
}

/** Renders from when on a claim usually pays all income, or that the report is due. */
export function FullFrom({ claimability: { completeFrom }, at }: FullFromProps) {
  if (at >= completeFrom) return <>claimable in full once the rest of its floating income is reported, which is due</>
  return (
    <>
      claimable in full from about <Instant seconds={completeFrom} />
    </>
  )
}
