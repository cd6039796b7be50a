import { hrefOf } from '../parts/place.ts'

const features = [
  {
    title: 'Yield curve',
    text: 'Coupons by maturity, their history and last change, and the time until they expire.',
  },
  {
    title: 'Rates and status',
    text: 'Fixed, floating and market rate, the sync status of the protocol and the reason for it.',
  },
  {
    title: 'Wallets and queries',
    text: 'Positions, earnings and maturities of any address, and a query editor with schema completion.',
  },
] as const

/** Renders an introduction for visitors without a key. */
export function Welcome() {
  return (
    <div class="card welcome">
      <h2>With a key, this page shows</h2>
      <ul>
        {features.map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <p class="hint">
        No key? Request one from the operator of this service. <a href={hrefOf('verify')}>Verifying a note</a> needs no
        key.
      </p>
    </div>
  )
}
