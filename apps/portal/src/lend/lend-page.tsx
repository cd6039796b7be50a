import type { OfferedNote } from '@tallystick/client'
import type { LentPosition } from '@tallystick/client/viem'
import type { PortalChain } from '@tallystick/core'
import { Button, Choices, formatDollars, formatExact, formatRate, Notice, useSubscribed } from '@tallystick/ui'
import type { Connection, Connector } from '../connect/connector.ts'
import { useActivity } from '../connect/use-activity.ts'
import { WalletErrorNotice, WalletPicker } from '../connect/wallet-picker.tsx'
import { chooseTenor, listNotesOf } from '../data/offers.ts'
import type { PageState } from '../data/page-state.ts'
import { findRejection, isPoolPaused } from '../data/pool-status.ts'
import { useHasExpired } from '../data/use-notes.ts'
import { ChainPicker } from '../parts/chain-picker.tsx'
import { DollarInput } from '../parts/dollar-input.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Fact } from '../parts/fact.tsx'
import { LinkNotice } from '../parts/link-notice.tsx'
import { navigate } from '../parts/router.ts'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { useLinkedAmount } from '../parts/use-linked-amount.ts'
import { WaitingChoices } from '../parts/waiting-choices.tsx'
import { useIsLost } from '../reach/page-reachability.ts'
import type { SentStore } from '../sent/sent-store.ts'
import { findObstacle } from './find-obstacle.ts'
import { type JudgedAmount, judgeAmount } from './judge-amount.ts'
import { defaultAmount, hrefOfLend, listFaults, readChoice } from './lend-choice.ts'
import { LendSummary } from './lend-summary.tsx'
import { useChainFacts } from './use-chain-facts.ts'
import { type Lender, useLender } from './use-lender.ts'

export type LendPageProps = PageState & {
  readonly connector: Connector
  /** What this browser sent. */
  readonly sent: SentStore
  /** Query of the URL. */
  readonly search: URLSearchParams
  readonly isOpen: boolean
}

/** Renders the form to lend with, what it pays, and the progress of a lend. */
export function LendPage({ info, session, notes, connector, sent, rate, search, isOpen }: LendPageProps) {
  const wallets = useSubscribed(connector.get, connector.subscribe)
  const { connection } = wallets
  // A Safe is on one network.
  const safeChainId = connection?.wallet.hasOwners ? connection.chainId : undefined
  const ordered = info.chains.toSorted((a, b) => Number(b.id === safeChainId) - Number(a.id === safeChainId))
  const { chain, tenorDays, partnerId, amount: linked = defaultAmount, faults } = readChoice(search, ordered)
  const running = useActivity<LentPosition>()
  const keepFocus = useKeptFocus()
  const { lender, error, refresh } = useLender({ connection, chain, partnerId, isOpen })
  const facts = useChainFacts({ session, rate, chainId: chain.id, isOpen })
  const offered = listNotesOf(notes.view?.notes ?? [], chain.id)
  const chosen = chooseTenor(offered, tenorDays)
  const minLend = lender?.minLend ?? facts.minLend
  const hrefOf = (amount: bigint) =>
    hrefOfLend({ chainId: chain.id, tenorDays: chosen?.tenorDays ?? tenorDays, partnerId, amount })
  const [text, setText] = useLinkedAmount({ view: 'lend', linked, hrefOf })
  const amount = judgeAmount(text, { balance: lender?.balance, minLend })
  const isBusy = running.activity.phase === 'running'
  const obstacle = findObstacle({
    isLost: useIsLost(),
    isConnected: connection !== undefined,
    lender,
    amount,
    hasNote: chosen !== undefined,
    hasExpired: useHasExpired(notes.view),
    isPaused: isPoolPaused(rate, chain.id),
    rejection: findRejection(rate, chain.id),
    isPartnerUnknown: partnerId !== undefined && lender !== undefined && lender.partnerFeeBps === undefined,
  })
  const choose = (choice: { readonly chainId: number; readonly tenorDays?: number | undefined }) =>
    navigate(hrefOfLend({ ...choice, partnerId, amount: amount.principal ?? linked }), { replace: true })
  if (!session)
    return <Notice tone="calm" title="API key required" text="Notes are read through the API. Enter your key above." />
  return (
    <>
      {notes.failure ? <ErrorNotice error={notes.failure.error} hint="The page retries automatically." /> : null}
      <LinkNotice faults={listFaults(faults, { tenorDays, chain, offered, chosen })} />
      <div class="lend grid below">
        <fieldset class="card lend-form grid" disabled={isBusy}>
          <legend class="sr-only">What to lend</legend>
          <section ref={keepFocus} class="field" aria-labelledby="lend-wallet" tabIndex={-1}>
            <h2 id="lend-wallet">Wallet</h2>
            <WalletPicker connector={connector} state={wallets} />
          </section>
          {info.chains.length > 1 ? (
            <div class="field">
              <h2>Network</h2>
              <ChainPicker
                name="lend-chain"
                chains={info.chains}
                chainId={chain.id}
                onChange={(chainId) => choose({ chainId, tenorDays })}
              />
            </div>
          ) : null}
          <AmountField {...{ text, setText, amount, lender, error, chain, connection, minLend }} />
          <TenorField {...{ offered, chosen, onChoose: (days) => choose({ chainId: chain.id, tenorDays: days }) }} />
        </fieldset>
        <LendSummary
          {...{ session, chain, connector, connection, lender, facts, running, obstacle, note: chosen, partnerId }}
          sent={sent}
          principal={amount.principal}
          serverOffsetMs={notes.view?.serverOffsetMs ?? 0}
          onMined={refresh}
        />
      </div>
      <Risks />
    </>
  )
}

const risks = [
  [
    'The money is tied up',
    'You get it back at maturity, not before. Until then the position is a token that you can send to another account.',
  ],
  [
    'Floating income is not promised',
    'It is set once a day from what the pool earned. It can fall to zero. The fixed income does not change.',
  ],
  [
    'A claim can come too early',
    'The floating income of the last day is reported about a day after maturity. A claim before then pays without it, and never again. The page tells you when the income is complete.',
  ],
  [
    'Terms expire',
    'A note can be used until 00:00 or 18:00 New York. A transaction that is mined later fails and costs the network fee.',
  ],
  ['The pool can be paused', 'While it is, nothing can be lent or claimed. What you have earned stays yours.'],
  [
    'Contracts can have faults',
    'The money lies in a contract on the chain. Lend only what you can afford to wait for or lose.',
  ],
] as const

/** Renders what a lender should know before the first lend. */
function Risks() {
  return (
    <section class="card risks" aria-labelledby="risks-heading">
      <h2 id="risks-heading">What can go wrong</h2>
      <dl class="grid">
        {risks.map(([title, text]) => (
          <Fact key={title} name={title}>
            {text}
          </Fact>
        ))}
      </dl>
    </section>
  )
}

type AmountFieldProps = {
  readonly text: string
  readonly setText: (text: string) => void
  readonly amount: JudgedAmount
  readonly lender: Lender | undefined
  /** Why the account cannot be read. */
  readonly error: unknown
  readonly chain: PortalChain
  readonly connection: Connection | undefined
  /** Least amount that the pool takes. Undefined while unknown. */
  readonly minLend: bigint | undefined
}

/** Renders the amount to lend, with the least one and the most that the account has. */
function AmountField(props: AmountFieldProps) {
  const { text, setText, amount, lender, error, minLend } = props
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
          aria-disabled={!lender || lender.balance === 0n}
          onClick={() => lender && lender.balance > 0n && setText(formatExact(lender.balance))}
        />
      </div>
      <p id="lend-amount-hint" class="hint">
        {fault ? <span class="block field-fault">{fault}</span> : null}
        {balanceHint(props)}
        {minLend === undefined ? '' : ` The least is $${formatDollars(minLend)}.`}
      </p>
      {error !== undefined && !lender ? <WalletErrorNotice error={error} /> : null}
    </div>
  )
}

function balanceHint({ lender, chain, connection }: Pick<AmountFieldProps, 'lender' | 'chain' | 'connection'>): string {
  if (lender) return `You have $${formatDollars(lender.balance)} on ${chain.name}, the most that you can lend.`
  if (!connection) return 'In dollars of the pool’s token.'
  if (connection.chainId !== chain.id) return `Your balance is shown once your wallet is on ${chain.name}.`
  return 'Reading your balance…'
}

type TenorFieldProps = {
  readonly offered: readonly OfferedNote[]
  readonly chosen: OfferedNote | undefined
  readonly onChoose: (tenorDays: number) => void
}

/** Renders the choice of the tenor, with the coupon of each. */
function TenorField({ offered, chosen, onChoose }: TenorFieldProps) {
  const keepFocus = useKeptFocus()
  return (
    <fieldset ref={keepFocus} class="field tenor-choice" tabIndex={-1}>
      <legend>
        <h2>For how long</h2>
      </legend>
      {offered.length === 0 ? (
        <WaitingChoices class="segments wrap" describe={(tenorDays) => describe({ tenorDays, coupon: 369n }).label} />
      ) : (
        <div class="segments wrap">
          <Choices name="lend-tenor" options={offered.map(describe)} chosen={chosen?.tenorDays} onChoose={onChoose} />
        </div>
      )}
      <p class="hint">Days, and the fixed interest per year.</p>
    </fieldset>
  )
}

function describe({ tenorDays, coupon }: Pick<OfferedNote, 'tenorDays' | 'coupon'>) {
  const label = (
    <>
      {tenorDays} <small class="tenor-days">{tenorDays === 1 ? 'day' : 'days'}</small>
      <small class="block muted">{formatRate(coupon)}</small>
    </>
  )
  return { value: tenorDays, label }
}
