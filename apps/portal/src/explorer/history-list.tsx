import { Button, Instant } from '@tallystick/ui'
import { nameOf, type PastQuery } from './query-history.ts'

type HistoryListProps = {
  readonly past: readonly PastQuery[]
  readonly onLoad: (query: PastQuery) => void
  readonly onForget: () => void
}

/** Renders the queries that this browser ran. A click loads one. */
export function HistoryList({ past, onLoad, onForget }: HistoryListProps) {
  if (past.length === 0) return <p class="hint">Queries that you run are listed here, in this browser only.</p>
  return (
    <>
      <ol class="past-queries">
        {past.map((each) => (
          <li key={each.at}>
            <button type="button" class="bare" onClick={() => onLoad(each)} title={each.query.slice(0, 400)}>
              <strong>{nameOf(each)}</strong>
              <span class="sub">
                <Instant seconds={BigInt(Math.floor(each.at / 1000))} /> · {describeChains(each.chains)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <Button label="Forget all" onClick={onForget} />
    </>
  )
}

function describeChains(chains: readonly number[]): string {
  return chains.length === 1 ? `chain ${chains[0]}` : `chains ${chains.join(', ')}`
}
