import type { OfferedNote } from '@tallystick/client'
import { Button, formatDollars, useNow } from '@tallystick/ui'
import { useEffect, useState } from 'preact/hooks'
import { hasUnknownResult } from '../connect/activity.ts'
import type { Connection, Connector } from '../connect/connector.ts'
import { Progress, type StepLabels } from '../connect/progress.tsx'
import { WalletErrorNotice } from '../connect/wallet-picker.tsx'
import { lendDeadline } from '../data/certain-income.ts'
import { LendOutcome, type LendOutcomeProps } from './lend-outcome.tsx'
import { PaymentTable } from './payment-table.tsx'
import { planLend } from './plan-lend.ts'
import { runLend } from './run-lend.ts'
import type { ChainFacts } from './use-chain-facts.ts'
import type { Lender } from './use-lender.ts'

export type LendSummaryProps = Omit<LendOutcomeProps, 'lentNote' | 'owner'> & {
  readonly connection: Connection | undefined
  readonly connector: Pick<Connector, 'switchTo'>
  readonly lender: Lender | undefined
  readonly facts: ChainFacts
  /** Why the visitor cannot lend now. */
  readonly obstacle: string | undefined
  readonly principal: bigint | undefined
  readonly partnerId: `0x${string}` | undefined
  readonly serverOffsetMs: number
  /** Called when the lend is mined, or a reorganisation removed it. */
  readonly onMined: () => void
}

const labels: StepLabels = {
  approve: 'Approve the amount in your wallet',
  send: 'Confirm the lend in your wallet',
  wait: 'The lend is being mined',
}

/** Renders what a lend pays, the button that lends, and its progress. */
export function LendSummary(props: LendSummaryProps) {
  const { chain, connection, lender, facts, running, obstacle, note, principal, partnerId, serverOffsetMs } = props
  const { activity } = running
  const [order, setOrder] = useState<OfferedNote>()
  const now = useNow(serverOffsetMs)
  const partnerFeeBPS = partnerId === undefined ? 0n : (lender?.partnerFeeBps ?? 0n)
  const lendTimestamp = note && lendDeadline(now, note.validBefore)
  const payment =
    activity.phase === 'mined'
      ? { ...activity.result, note: order, isMined: true }
      : { note, principal, partnerFeeBPS, lendTimestamp, isMined: false }
  const plan = planLend({ ...facts, allowance: lender?.allowance, principal })
  const lend = () => {
    if (!connection || !note || !principal) return
    const clock = () => BigInt(Math.floor((Date.now() + serverOffsetMs) / 1000))
    const partner = partnerId && { id: partnerId, feeBps: partnerFeeBPS }
    setOrder(note)
    running.start((tools) => runLend({ connection, chain, note, principal, partner, now: clock }, tools))
  }
  useEffect(() => {
    if (activity.phase !== 'running') props.onMined()
  }, [activity.phase])
  const isOver = activity.phase === 'mined' || activity.phase === 'reorganised' || hasUnknownResult(activity)
  const isExpiring = activity.phase === 'running' && order !== undefined && order.validBefore !== note?.validBefore
  return (
    <section class="card lend-summary" aria-labelledby="lend-summary-heading">
      <h2 id="lend-summary-heading">What you get</h2>
      <PaymentTable {...payment} floatingRate={facts.floatingRate} />
      {activity.phase === 'running' || isOver ? null : connection && connection.chainId !== chain.id ? (
        <SwitchButton {...{ chain, connector: props.connector }} />
      ) : (
        <LendButton {...{ obstacle, principal, note, lend, announcement: plan.announcement }} />
      )}
      <Progress {...{ activity, labels, plan: plan.steps, explorer: chain.explorer, onStop: running.stop }} />
      {isExpiring ? (
        <p class="field-fault" role="alert">
          The note expired while your wallet was open. Reject the request in the wallet. The new terms are shown here.
        </p>
      ) : null}
      <LendOutcome {...props} lentNote={order} owner={connection?.account} />
    </section>
  )
}

/** Renders the button for a wallet on another network. What a lend costs there is not known. */
function SwitchButton({ chain, connector }: Pick<LendSummaryProps, 'chain' | 'connector'>) {
  const [state, setState] = useState<{ readonly isAsking?: boolean; readonly error?: unknown }>({})
  const ask = () => {
    setState({ isAsking: true })
    connector.switchTo(chain).then(
      () => setState({}),
      (error: unknown) => setState({ error }),
    )
  }
  return (
    <>
      <Button class="primary lend-button full" label={`Switch your wallet to ${chain.name}`} onClick={ask} />
      <p class="hint">
        {state.isAsking
          ? 'Your wallet asks you to confirm.'
          : 'Your wallet is on another network. It may ask you to add this one.'}
      </p>
      {state.error === undefined ? null : <WalletErrorNotice error={state.error} />}
    </>
  )
}

type LendButtonProps = Pick<LendSummaryProps, 'obstacle' | 'principal' | 'note'> & {
  readonly lend: () => void
  readonly announcement: string
}

function LendButton({ obstacle, principal, note, lend, announcement }: LendButtonProps) {
  const amount = principal === undefined ? '' : ` $${formatDollars(principal)}`
  const days = note === undefined ? '' : ` for ${note.tenorDays} ${note.tenorDays === 1 ? 'day' : 'days'}`
  return (
    <>
      <Button
        class="primary lend-button full"
        label={`Lend${amount}${days}`}
        disabled={obstacle !== undefined}
        onClick={lend}
      />
      <p class="hint" id="lend-announcement">
        {obstacle ?? announcement}
      </p>
    </>
  )
}
