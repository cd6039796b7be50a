import { type Amount, Button, formatCents, formatRate, Hex, Instant } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { HoldingState } from './holding-state.tsx'
import type { Holding } from './look-up-wallet.ts'

const initialRowCount = 12

type Column = {
  readonly title: string
  readonly class?: string
  readonly cell: (holding: Holding) => ComponentChildren
}

type HoldingsTableProps = {
  readonly holdings: readonly Holding[]
  readonly namesChains: boolean
}

/** Renders all positions, as a table or, on a narrow screen, as cards. */
export function HoldingsTable({ holdings, namesChains }: HoldingsTableProps) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? holdings : holdings.slice(0, initialRowCount)
  return (
    <div class="card">
      <h2>Positions</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section class="table-scroll" tabIndex={0} aria-label="Positions">
        {/* The roles are explicit, because a browser drops them from rows that are displayed as cards. */}
        {/* biome-ignore-start lint/a11y/noRedundantRoles: see above. */}
        <table class="numbers cards holdings" role="table">
          <thead role="rowgroup">
            <tr role="row">
              {[{ title: 'Position', class: undefined }, ...columns].map((column) => (
                <th key={column.title} scope="col" role="columnheader" class={column.class}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.map((holding) => (
              <Row key={`${holding.chain.id}-${holding.tokenId}`} {...{ holding, namesChains }} />
            ))}
          </tbody>
        </table>
        {/* biome-ignore-end lint/a11y/noRedundantRoles: see above. */}
      </section>
      {shown.length < holdings.length ? (
        <Button class="quiet more" label={`Show all ${holdings.length}`} onClick={() => setShowsAll(true)} />
      ) : null}
    </div>
  )
}

type RowProps = {
  readonly holding: Holding
  readonly namesChains: boolean
}

function Row({ holding, namesChains }: RowProps) {
  const { chain, tokenId, state } = holding
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: a browser drops the roles from rows that are displayed as cards.
    <tr role="row" data-token={String(tokenId)} data-chain={chain.id} data-state={state}>
      <th scope="row" role="rowheader">
        #{String(tokenId)}
        {namesChains ? <span class="block hint regular">{chain.name}</span> : null}
      </th>
      {columns.map((column) => (
        <td key={column.title} role="cell" class={column.class}>
          {/* Shown on a card only, where there is no head. */}
          <span class="cell-name" aria-hidden="true">
            {column.title}
          </span>
          <span class="cell-value">{column.cell(holding)}</span>
        </td>
      ))}
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: a browser drops the roles from rows that are displayed as cards.
  )
}

const income = (name: 'fixed' | 'floating') => (holding: Holding) => (
  <Sum name={name} amount={holding.amounts.income?.[name]} />
)

const columns: readonly Column[] = [
  { title: 'Principal', class: 'number', cell: ({ amounts }) => `$${formatCents(amounts.principal.cents)}` },
  { title: 'Coupon', class: 'number', cell: ({ coupon }) => formatRate(coupon) },
  { title: 'Fixed so far', class: 'number', cell: income('fixed') },
  { title: 'Floating so far', class: 'number', cell: income('floating') },
  { title: 'Lent', class: 'number', cell: (holding) => <Lent holding={holding} /> },
  { title: 'Matures', class: 'number', cell: (holding) => <Instant seconds={holding.maturityTimestamp} only="date" /> },
  { title: 'Status', cell: (holding) => <HoldingState holding={holding} /> },
]

function Lent({ holding: { lendTimestamp, lendTransactionHash } }: { readonly holding: Holding }) {
  return (
    <>
      <Instant seconds={lendTimestamp} only="date" />
      <span class="state-detail block soft">
        <Hex value={lendTransactionHash} />
      </span>
    </>
  )
}

/** Renders the shown cents of an amount. The value of `data` is the exact amount. */
function Sum({ name, amount }: { readonly name: string; readonly amount: Amount | undefined }) {
  if (!amount) return <span class="muted">–</span>
  return (
    <data value={amount.exact.toString()} data-income={name}>
      ${formatCents(amount.cents)}
    </data>
  )
}
