import { formatDollars } from '../format/dollars.ts'
import { formatInstant, viewerZone } from '../format/format-time.ts'
import { Notice } from '../parts/notice.tsx'
import { HoldingsTable } from './holdings-table.tsx'
import type { Wallet } from './look-up-wallet.ts'
import { Timeline } from './timeline.tsx'

/** Renders the positions and earnings of a wallet. With several chains, which share token ids, `namesChains` is true. */
export function WalletReport({ wallet, namesChains }: { readonly wallet: Wallet; readonly namesChains: boolean }) {
  const { earnings, holdings, failures, at } = wallet
  const active = holdings.filter(({ status }) => status === 'Active')
  return (
    <>
      {failures.map(({ chain, message }) => (
        <Notice key={chain} tone="warn" title={`Chain ${chain} failed`}>
          The positions of this chain are missing below. {message}
        </Notice>
      ))}
      {holdings.length === 0 ? (
        <Notice tone="calm" title="No positions">
          This address has never held a position{failures.length > 0 ? ' on the chains that responded' : ''}. Check the
          address.
        </Notice>
      ) : (
        <>
          <dl class="earnings card">
            <Figure name="Lent now" amount={earnings.activePrincipal} help={countText(earnings.activePositions)} />
            <Figure name="Accrued" amount={earnings.accrued.net} help={accruedText(wallet)} id="accrued-net" />
            <Figure name="Claimed" amount={earnings.claimed.net} help="income paid, after fees" />
          </dl>
          {active.length > 0 ? <Timeline holdings={active} now={at} namesChains={namesChains} /> : null}
          <HoldingsTable holdings={holdings} namesChains={namesChains} />
          <p class="hint">
            As of{' '}
            <time id="wallet-at" dateTime={new Date(Number(at) * 1000).toISOString()}>
              {formatInstant(at, viewerZone())}
            </time>
            , your time. Floating income is included up to the last reported day.
          </p>
        </>
      )}
    </>
  )
}

function Figure({
  name,
  amount,
  help,
  id,
}: {
  readonly name: string
  readonly amount: bigint
  readonly help: string
  readonly id?: string
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        <data id={id} value={amount.toString()}>
          ${formatDollars(amount)}
        </data>
        <span class="figure-help">{help}</span>
      </dd>
    </div>
  )
}

function countText(count: number): string {
  return count === 1 ? 'in 1 position' : `in ${count} positions`
}

function accruedText({ earnings: { accrued } }: Wallet): string {
  return `fixed $${formatDollars(accrued.fixed)}, floating $${formatDollars(accrued.floating)}, fees $${formatDollars(accrued.fees)}`
}
