import { countOf } from '@tallystick/base/pure'
import { formatUtc, type PortalInfo } from '@tallystick/core'
import {
  Button,
  download,
  formatCents,
  formatRate,
  Icon,
  isoDate,
  Notice,
  newYorkDate,
  newYorkZone,
} from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Fact } from '../parts/fact.tsx'
import { hrefOf } from '../parts/place.ts'
import type { Holding, Wallet } from '../wallet/look-up-wallet.ts'
import { listIncomeDays } from './list-income-days.ts'
import {
  dateOfDay,
  fileNameOf,
  formatClaimsCsv,
  formatDaysCsv,
  formatPositionsCsv,
  listClaimed,
} from './statement-csv.ts'
import { StatementTable } from './statement-table.tsx'
import { sumDays } from './sum-days.ts'

export type StatementProps = {
  readonly wallet: Wallet
  /** ENS name by which the wallet was looked up. */
  readonly name: string | undefined
  readonly chains: PortalInfo['chains']
}

const usd = (cents: bigint) => `$${formatCents(cents)}`

/** Renders everything that is known of a wallet as a document: to print, or to save as CSV. */
export function Statement({ wallet, name, chains }: StatementProps) {
  const { address, holdings, amounts } = wallet
  const { days, leftOutCount } = useMemo(() => listIncomeDays(wallet), [wallet])
  const { rows, total } = useMemo(() => sumDays(days), [days])
  const claimed = listClaimed(holdings)
  const chainIds = chains.map(({ id }) => id)
  const save = (content: string, text: string) => download(fileNameOf(content, wallet, chainIds), text, 'text/csv')
  const shown = amounts.accrued.net.cents + amounts.claimed.cents
  return (
    <article class="statement card" aria-labelledby="statement-title">
      <div class="row screen-only">
        <a class="quiet" href={hrefOf('wallet', name ?? address)}>
          Back to the wallet
        </a>
        <span class="row end">
          <SaveButton label="Positions" onSave={() => save('positions', formatPositionsCsv(holdings))} />
          <SaveButton label="Income by day" onSave={() => save('income-by-day', formatDaysCsv(days))} />
          <SaveButton label="Claims" onSave={() => save('claims', formatClaimsCsv(holdings))} />
          <Button class="primary" label="Print" onClick={() => print()} />
        </span>
      </div>
      <Head wallet={wallet} name={name} chains={chains} />
      <Gaps wallet={wallet} leftOutCount={leftOutCount} />
      <StatementTable
        title="Positions"
        columns={['Position', 'Lent', 'Matures', 'Principal', 'Coupon', 'Fixed', 'Floating', 'Fee', 'Net', 'State']}
        rows={holdings.map((holding) => [...namesOf(holding, chains), ...positionCells(holding)])}
        total={[
          ...['Total', '', ''],
          usd(holdings.reduce((sum, holding) => sum + holding.amounts.principal.cents, 0n)),
          ...['', usd(amounts.accrued.fixed.cents), usd(amounts.accrued.floating.cents)],
          ...[usd(amounts.accrued.fee.cents), usd(shown), ''],
        ]}
      />
      <StatementTable
        title="Claims"
        columns={['Position', 'Claimed', 'Principal', 'Net income', 'Paid', 'To']}
        rows={claimed.map((holding) => [
          ...[namesOf(holding, chains)[0], newYorkDate(Number(holding.claim.timestamp))],
          ...[usd(holding.amounts.principal.cents), usd(holding.amounts.paidIncome?.cents ?? 0n)],
          ...[usd(holding.amounts.payout?.cents ?? 0n), shorten(holding.claim.beneficiary)],
        ])}
        total={[
          ...['Total', '', usd(claimed.reduce((sum, { amounts: { principal } }) => sum + principal.cents, 0n))],
          ...[
            usd(amounts.claimed.cents),
            usd(claimed.reduce((sum, row) => sum + (row.amounts.payout?.cents ?? 0n), 0n)),
            '',
          ],
        ]}
      />
      <StatementTable
        title="Income by day"
        columns={['Day (UTC)', 'Positions', 'Fixed', 'Floating', 'Fee', 'Net']}
        rows={rows.map(({ day, positions, fixed, floating, fee, net }) => [
          ...[dateOfDay(day), String(positions)],
          ...[fixed, floating, fee, net].map(({ cents }) => usd(cents)),
        ])}
        total={['Total', '', ...[total.fixed, total.floating, total.fee, total.net].map(({ cents }) => usd(cents))]}
      />
      <p class="hint">
        Dates of loans, maturities and claims are New York days. The protocol counts floating income by UTC days. Each
        position and each day is rounded to the cent, and a total is the sum of what is shown: the total of the days
        differs by <span data-rounding>{usd(shown - total.net.cents)}</span> from the net of the positions, which is{' '}
        {usd(shown)}. The CSV files have the exact amounts. Net is after the partner’s fee. Floating income of a day of
        a claim includes what the claim paid more or less than the days before it had.
      </p>
    </article>
  )
}

function Head({ wallet: { address, at, amounts, holdings }, name, chains }: StatementProps) {
  const held = holdings.filter(({ state }) => state !== 'claimed').length
  const stamp = formatUtc(String(at))
  return (
    <header>
      <h2 id="statement-title">Tallystick: statement of a wallet</h2>
      <dl class="facts statement-facts">
        <Fact name="Wallet">
          <span class="mono anywhere">{address}</span>
          {name === undefined ? null : ` (${name})`}
        </Fact>
        <Fact name="Service">{location.origin}</Fact>
        <Fact name="Data of">
          <time id="statement-at" dateTime={stamp}>
            {stamp.replace('T', ' ').replace('Z', ' UTC')}
          </time>
          , {isoDate(Number(at), newYorkZone)} in New York
        </Fact>
        <Fact name={chains.length === 1 ? 'Chain' : 'Chains'}>
          {chains.map(({ id, name: chain }) => `${chain} (${id})`).join(', ')}
        </Fact>
        <Fact name="Lent now">{`${usd(amounts.lent.cents)} in ${countOf(held, 'position')}`}</Fact>
        <Fact name="Accrued, after fees">
          <data id="statement-accrued" value={String(amounts.accrued.net.exact)}>
            {usd(amounts.accrued.net.cents)}
          </data>
        </Fact>
        <Fact name="Claimed income, after fees">{usd(amounts.claimed.cents)}</Fact>
      </dl>
    </header>
  )
}

/** Renders what the statement lacks. A statement must not look complete if it is not. */
function Gaps({ wallet, leftOutCount }: { readonly wallet: Wallet; readonly leftOutCount: number }) {
  const unread = wallet.holdings.filter(({ state, claim }) => state === 'claimed' && !claim).length
  const gaps = [
    ...wallet.failures.map(({ chain, message }) => `Chain ${chain} failed, and its positions are missing. ${message}`),
    ...wallet.incompleteChains.map((chain) => `The index of chain ${chain} is incomplete: positions may be missing.`),
    ...(unread > 0 ? [`What ${countOf(unread, 'claim')} paid could not be read.`] : []),
    ...(leftOutCount > 0 ? [`Income by day lacks ${countOf(leftOutCount, 'position')}.`] : []),
  ]
  if (gaps.length === 0) return null
  return <Notice tone="warn" title="This statement is not complete" text={gaps.join(' ')} />
}

function namesOf({ chain, tokenId, lendTimestamp, maturityTimestamp }: Holding, chains: StatementProps['chains']) {
  const position = chains.length > 1 ? `${chain.id} #${tokenId}` : `#${tokenId}`
  return [position, newYorkDate(Number(lendTimestamp)), newYorkDate(Number(maturityTimestamp))] as const
}

function positionCells({ amounts, coupon, state }: Holding): readonly ComponentChildren[] {
  const { principal, income, paidIncome } = amounts
  const net = income?.net ?? paidIncome
  const cells = [income?.fixed, income?.floating, income?.fee, net].map((amount) => (amount ? usd(amount.cents) : '–'))
  return [usd(principal.cents), formatRate(coupon), ...cells, state]
}

function shorten(address: string): string {
  return address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address
}

function SaveButton({ label, onSave }: { readonly label: string; readonly onSave: () => void }) {
  return (
    <button type="button" class="quiet" onClick={onSave}>
      <Icon name="download" />
      {label}
      <span class="sr-only"> as CSV</span>
    </button>
  )
}
