import { Fact } from '../parts/fact.tsx'

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
export function Risks() {
  return (
    <section class="card risks" aria-labelledby="risks-heading">
      <h2 id="risks-heading">What can go wrong</h2>
      <dl>
        {risks.map(([title, text]) => (
          <Fact key={title} name={title}>
            {text}
          </Fact>
        ))}
      </dl>
    </section>
  )
}
