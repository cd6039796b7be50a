import { useState } from 'preact/hooks'
import { formatDollars } from '../format/dollars.ts'
import { formatRate } from '../format/format-rate.ts'
import { formatDate, newYorkZone } from '../format/format-time.ts'
import { Hex } from '../parts/hex.tsx'
import { Pill } from '../parts/pill.tsx'
import type { Holding } from './look-up-wallet.ts'

const initialRowCount = 12

/** Renders all positions as a table. */
export function HoldingsTable({
  holdings,
  namesChains,
}: {
  readonly holdings: readonly Holding[]
  readonly namesChains: boolean
}) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? holdings : holdings.slice(0, initialRowCount)
  return (
    <div class="card">
      <h2>Positions</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard. */}
      <section class="table-scroll" tabIndex={0} aria-label="Positions">
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">Position</th>
              {namesChains ? <th scope="col">Chain</th> : null}
              <th scope="col" class="number">
                Principal
              </th>
              <th scope="col" class="number">
                Coupon
              </th>
              <th scope="col" class="number">
                Fixed so far
              </th>
              <th scope="col" class="number">
                Floating so far
              </th>
              <th scope="col" class="number">
                Lent
              </th>
              <th scope="col" class="number">
                Matures
              </th>
              <th scope="col">Status</th>
              <th scope="col">Transaction</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((holding) => (
              <Row key={`${holding.chain.id}-${holding.tokenId}`} holding={holding} namesChain={namesChains} />
            ))}
          </tbody>
        </table>
      </section>
      {shown.length < holdings.length ? (
        <button type="button" class="quiet more" onClick={() => setShowsAll(true)}>
          {`Show all ${holdings.length}`}
        </button>
      ) : null}
    </div>
  )
}

function Row({ holding, namesChain }: { readonly holding: Holding; readonly namesChain: boolean }) {
  const { chain, tokenId, principal, coupon, accrued, lendTimestamp, maturityTimestamp, status } = holding
  return (
    <tr data-token={String(tokenId)} data-chain={chain.id}>
      <th scope="row">#{String(tokenId)}</th>
      {namesChain ? <td class="chain-name">{chain.name}</td> : null}
      <td class="number">${formatDollars(principal)}</td>
      <td class="number">{formatRate(coupon)}</td>
      <td class="number">{accrued ? <Amount name="fixed" value={accrued.fixed} /> : <span class="muted">–</span>}</td>
      <td class="number">
        {accrued ? <Amount name="floating" value={accrued.floating} /> : <span class="muted">–</span>}
      </td>
      <td class="number muted">{formatDate(lendTimestamp, newYorkZone)}</td>
      <td class="number">{formatDate(maturityTimestamp, newYorkZone)}</td>
      <td>
        <Pill tone={status === 'Active' ? 'good' : 'calm'}>{status}</Pill>
      </td>
      <td>
        <Hex value={holding.lendTransactionHash} />
      </td>
    </tr>
  )
}

function Amount({ name, value }: { readonly name: string; readonly value: bigint }) {
  return (
    <data value={value.toString()} data-income={name}>
      ${formatDollars(value)}
    </data>
  )
}
