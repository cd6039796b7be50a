import type { ExpectedIncome, OfferedNote } from '@tallystick/client'
import { Button, formatDollars, Ghost, Notice, useNow } from '@tallystick/ui'
import { useEffect, useState } from 'preact/hooks'
import { hasUnknownResult } from '../connect/activity.ts'
import type { Connection, Connector } from '../connect/connector.ts'
import { isDeclined } from '../connect/explain-wallet-error.ts'
import { OwnersWait } from '../connect/owners-wait.tsx'
import { Progress, type StepLabels } from '../connect/progress.tsx'
import { WalletErrorNotice } from '../connect/wallet-picker.tsx'
import { lendDeadline } from '../data/certain-income.ts'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { useOnConfirmed } from '../sent/sent-store.ts'
import { findWarnings } from './find-warnings.ts'
import { LendOutcome, type LendOutcomeProps } from './lend-outcome.tsx'
import { formatCoins } from './network-fee.ts'
import { incomeOf, PaymentTable } from './payment-table.tsx'
import { PendingLends } from './pending-lends.tsx'
import { planLend } from './plan-lend.ts'
import { runLend } from './run-lend.ts'
import { Terms, TermsChange } from './terms/terms.tsx'
import { termsAt } from './terms/terms-at.ts'
import type { ChainFacts } from './use-chain-facts.ts'
import type { Lender } from './use-lender.ts'
import { useNetworkFee } from './use-network-fee.ts'

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
  const { chain, connection, lender, facts, running, note, principal, partnerId, serverOffsetMs, sent } = props
  const { activity } = running
  const [order, setOrder] = useState<OfferedNote>()
  const now = useNow(serverOffsetMs)
  const keepFocus = useKeptFocus()
  const partnerFeeBPS = partnerId === undefined ? 0n : (lender?.partnerFeeBps ?? 0n)
  const { floatingRate } = facts
  const plan = planLend({ ...facts, kind: lender?.kind, allowance: lender?.allowance, principal })
  const lendTimestamp = note && lendDeadline(now, note.validBefore)
  const payment =
    activity.phase === 'mined'
      ? { ...activity.result, note: order, isMined: true, floatingRate }
      : { note, principal, partnerFeeBPS, lendTimestamp, isMined: false, floatingRate }
  const income = incomeOf(payment)
  const lend = () => {
    if (!connection || !note || !principal) return
    const clock = () => BigInt(Math.floor((Date.now() + serverOffsetMs) / 1000))
    const partner = partnerId && { id: partnerId, feeBps: partnerFeeBPS }
    setOrder(note)
    running.start((tools) => runLend({ connection, chain, note, principal, partner, now: clock, sent }, tools))
  }
  useOnConfirmed(sent, props.onMined)
  useEffect(() => {
    if (activity.phase !== 'running') props.onMined()
  }, [activity.phase])
  const isOver = activity.phase === 'mined' || activity.phase === 'reorganised' || hasUnknownResult(activity)
  const isOpen = activity.phase !== 'running' && !isOver
  return (
    <section ref={keepFocus} class="card lend-summary" aria-labelledby="lend-summary-heading" tabIndex={-1}>
      <h2 id="lend-summary-heading">What you get</h2>
      <PaymentTable {...payment} income={income} />
      {note && activity.phase !== 'mined' ? <Terms note={note} now={now} /> : null}
      {note ? null : (
        <div class="spread terms">
          <p class="hint">
            <Ghost text="These terms hold until 13 Nov 2026, 18:00 New York." />
          </p>
        </div>
      )}
      <TermsChange {...{ note, lentNote: order }} isShown={isOpen && activity.phase !== 'expired'} />
      {isOpen ? <LendActions {...props} {...{ plan, income, now, lend }} /> : null}
      <Progress {...{ activity, labels, plan: plan.steps, explorer: chain.explorer, onStop: running.stop }} />
      <OwnersWait {...{ activity, connection, serverOffsetMs }} validBefore={order?.validBefore} />
      <Outcome {...props} lentNote={order} owner={connection?.account} />
    </section>
  )
}

/** Renders how the last lend ended, or that the note of a running one has expired. */
function Outcome(props: LendOutcomeProps) {
  const { note, lentNote } = props
  const { activity } = props.running
  if (activity.phase === 'idle') return null
  if (activity.phase !== 'running') {
    return (
      <div tabIndex={-1} data-focus={isDeclined(activity) ? undefined : true}>
        <LendOutcome {...props} />
      </div>
    )
  }
  if (!lentNote || lentNote.validBefore === note?.validBefore || activity.step === 'owners') return null
  return (
    <p class="field-fault" role="alert">
      The note expired while your wallet was open. Reject the request in the wallet. The new terms are shown here.
    </p>
  )
}

type LendActionsProps = LendSummaryProps & {
  readonly plan: ReturnType<typeof planLend>
  readonly income: ExpectedIncome | undefined
  readonly now: number
  readonly lend: () => void
}

/** Renders the button that lends, what it costs, and what to know before. */
function LendActions(props: LendActionsProps) {
  const { chain, connection, connector, sent, lender, note, plan, income, running, now } = props
  // The transaction of a contract wallet is paid by who executes it.
  const payer = lender?.kind === 'key' ? lender : undefined
  const fee = useNetworkFee({ connection, chain, lender: payer, note, steps: plan.steps })
  // An outcome that is to be read first has the focus.
  const takesFocus = running.activity.phase === 'idle' || isDeclined(running.activity) || undefined
  if (connection && connection.chainId !== chain.id) return <SwitchButton {...{ chain, connector, takesFocus }} />
  const ends = note && termsAt(now, note.validBefore).phase === 'ending'
  return (
    <>
      <PendingLends {...{ sent, chain, takesFocus, account: connection?.account }}>
        <LendButton {...props} {...{ takesFocus }} reason={props.obstacle ?? (ends ? ending : undefined)} />
      </PendingLends>
      {fee === undefined ? null : (
        <p class="hint" id="lend-network-fee">
          {`The network fee is about ${formatCoins(fee)} ${chain.currency}${plan.steps.includes('approve') ? ' for both transactions' : ''}.`}
        </p>
      )}
      {findWarnings({ lender, fee, income, currency: chain.currency }).map((text) => (
        <Notice key={text} tone="warn" title="Before you lend" text={text} />
      ))}
    </>
  )
}

type SwitchButtonProps = Pick<LendSummaryProps, 'chain' | 'connector'> & { readonly takesFocus: true | undefined }

/** Renders the button for a wallet on another network. What a lend costs there is not known. */
function SwitchButton({ chain, connector, takesFocus }: SwitchButtonProps) {
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
      <Button
        class="primary lend-button full"
        label={`Switch your wallet to ${chain.name}`}
        onClick={ask}
        data-focus={takesFocus}
      />
      <p class="hint">
        {state.isAsking
          ? 'Your wallet asks you to confirm.'
          : 'Your wallet is on another network. It may ask you to add this one.'}
      </p>
      {state.error === undefined ? null : <WalletErrorNotice error={state.error} />}
    </>
  )
}

const ending =
  'This note will probably expire before a transaction is mined. The next one is taken by itself as soon as it is on offer.'

type LendButtonProps = Pick<LendActionsProps, 'principal' | 'note' | 'plan' | 'lend'> & {
  /** Why the visitor cannot lend now. */
  readonly reason: string | undefined
  readonly takesFocus: true | undefined
}

/** Renders the button that lends. With a reason against it, it can have the focus nevertheless: the reason may pass. */
function LendButton({ reason, principal, note, plan, lend, takesFocus }: LendButtonProps) {
  const amount = principal === undefined ? '' : ` $${formatDollars(principal)}`
  const days = note === undefined ? '' : ` for ${note.tenorDays} ${note.tenorDays === 1 ? 'day' : 'days'}`
  return (
    <>
      <Button
        class="primary lend-button full"
        label={`Lend${amount}${days}`}
        aria-disabled={reason !== undefined}
        aria-describedby="lend-announcement"
        data-focus={takesFocus}
        onClick={reason === undefined ? lend : undefined}
      />
      <p class="hint" id="lend-announcement">
        {reason ?? plan.announcement}
      </p>
    </>
  )
}
