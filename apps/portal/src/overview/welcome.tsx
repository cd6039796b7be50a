import { hrefOf } from '../parts/use-view.ts'

const gives = [
  {
    title: 'The curve of the day',
    text: 'Coupons by maturity, how they moved since the last period, and how long they can still be used.',
  },
  {
    title: 'Rates and state',
    text: 'Fixed, floating and market rate, whether the protocol is synced, and why not if it is not.',
  },
  {
    title: 'Wallets and queries',
    text: 'Positions, earnings and maturities of any address, and the subgraph in an editor that knows its schema.',
  },
] as const

/** For whoever comes without a key: what one is good for, and what works without. */
export function Welcome() {
  return (
    <div class="card welcome">
      <h2>With a key, this page shows</h2>
      <ul>
        {gives.map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <p class="hint">
        No key? Ask the operator of this service for one. <a href={hrefOf('verify')}>Verifying a note</a> needs none.
      </p>
    </div>
  )
}
