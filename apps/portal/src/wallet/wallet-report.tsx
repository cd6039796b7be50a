import { type Amount, formatCents, Hex, Instant, Notice } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { hrefOf } from '../parts/place.ts'
import { HoldingsTable } from './holdings-table.tsx'
import type { Wallet } from './look-up-wallet.ts'
import { Timeline } from './timeline.tsx'

/** Renders what can be done with a wallet. `refresh` looks it up again and keeps the report until then. */
export type RenderActions = (wallet: Wallet, refresh: () => void) => ComponentChildren

type WalletReportProps = {
  readonly wallet: Wallet
  /** ENS name by which the wallet was looked up. */
  readonly name: string | undefined
  readonly namesChains: boolean
  readonly renderActions: RenderActions
  readonly refresh: () => void
}

/** Renders the positions and earnings of a wallet. With several chains, which share token ids, `namesChains` is true. */
export function WalletReport({ wallet, name, namesChains, renderActions, refresh }: WalletReportProps) {
  const { address, holdings, failures, at } = wallet
  const held = holdings.filter(({ state }) => state !== 'claimed')
  return (
    <>
      <div class="row wallet-owner">
        <h2 class="anywhere">{name ?? 'Wallet'}</h2>
        <Hex value={address} />
      </div>
      {failures.map(({ chain, message }) => (
        <Notice key={chain} tone="warn" title={`Chain ${chain} failed`}>
          Positions or income of this chain are missing below. {message}
        </Notice>
      ))}
      {holdings.length === 0 ? (
        <Notice tone="calm" title="No positions">
          This address has never held a position{failures.length > 0 ? ' on the chains that responded' : ''}. Check the
          address.
        </Notice>
      ) : (
        <>
          <Figures wallet={wallet} heldCount={held.length} />
          {renderActions(wallet, refresh)}
          {held.length > 0 ? <Timeline holdings={held} now={at} namesChains={namesChains} /> : null}
          <p class="row below screen-only">
            <a class="quiet" href={`${hrefOf('wallet', name ?? address)}?statement`}>
              Statement, to print or as CSV
            </a>
          </p>
          <HoldingsTable holdings={holdings} namesChains={namesChains} />
          <p class="hint">
            As of <Instant id="wallet-at" seconds={at} />. Floating income is included up to the last reported day. A
            claim before the UTC day of the maturity is reported loses the rest for good. Each position is rounded down
            to the cent, and a total is the sum of what is shown.
          </p>
        </>
      )}
    </>
  )
}

function Figures({ wallet: { amounts }, heldCount }: { readonly wallet: Wallet; readonly heldCount: number }) {
  const { fixed, floating, fee, net } = amounts.accrued
  const parts = [`fixed $${formatCents(fixed.cents)}`, `floating $${formatCents(floating.cents)}`]
  return (
    <dl class="earnings grid below card">
      <Figure
        name="Lent now"
        amount={amounts.lent}
        help={heldCount === 1 ? 'in 1 position' : `in ${heldCount} positions`}
      />
      <Figure
        name="Accrued"
        amount={net}
        help={`${parts.join(', ')}, fees $${formatCents(fee.cents)}`}
        id="accrued-net"
      />
      <Figure name="Claimed" amount={amounts.claimed} help="income paid, after fees" />
    </dl>
  )
}

type FigureProps = {
  readonly name: string
  readonly amount: Amount
  readonly help: string
  readonly id?: string
}

function Figure({ name, amount, help, id }: FigureProps) {
  return (
    <div class="figure">
      <dt class="hint">{name}</dt>
      <dd>
        <data id={id} class="block" value={amount.exact.toString()}>
          ${formatCents(amount.cents)}
        </data>
        <span class="hint">{help}</span>
      </dd>
    </div>
  )
}
