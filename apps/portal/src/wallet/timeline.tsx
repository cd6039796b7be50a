import { formatDollars } from '../format/dollars.ts'
import { formatDate, formatDuration, newYorkZone } from '../format/format-time.ts'
import type { Holding } from './look-up-wallet.ts'

// More bars than this are no picture any more; the table has them all.
const barsMax = 24
const monthMs = 86_400_000 * 30.4

/** Each position as a bar from lend to maturity, cut off at today. */
export function Timeline({ holdings, now }: { readonly holdings: readonly Holding[]; readonly now: bigint }) {
  const shown = holdings.slice(0, barsMax)
  const start = shown.reduce((first, { lendTimestamp }) => (lendTimestamp < first ? lendTimestamp : first), now)
  const end = shown.reduce((last, { maturityTimestamp }) => (maturityTimestamp > last ? maturityTimestamp : last), now)
  const part = (seconds: bigint) => (Number(seconds - start) / Math.max(1, Number(end - start))) * 100
  return (
    <figure class="card timeline">
      <figcaption>
        <h2>Maturities</h2>
        {holdings.length > barsMax ? <p class="hint">{`The next ${barsMax} of ${holdings.length}.`}</p> : null}
      </figcaption>
      <div class="timeline-plot">
        <div class="timeline-scale" aria-hidden="true">
          <div class="timeline-track">
            {monthsBetween(start, end).map(({ seconds, label }) => (
              <span key={label} style={{ left: `${part(seconds)}%` }}>
                {label}
              </span>
            ))}
            <i class="today" style={{ left: `${part(now)}%` }}>
              <b>Today</b>
            </i>
          </div>
        </div>
        <ol>
          {shown.map((holding) => (
            <Bar key={`${holding.chain.id}-${holding.tokenId}`} {...{ holding, now, part }} />
          ))}
        </ol>
      </div>
    </figure>
  )
}

function Bar({
  holding: { tokenId, lendTimestamp, maturityTimestamp, principal },
  now,
  part,
}: {
  readonly holding: Holding
  readonly now: bigint
  readonly part: (seconds: bigint) => number
}) {
  const [left, right] = [part(lendTimestamp), part(maturityTimestamp)]
  const isMature = maturityTimestamp <= now
  const done = isMature ? 100 : (Number(now - lendTimestamp) / Number(maturityTimestamp - lendTimestamp)) * 100
  return (
    <li>
      <span class="timeline-name">
        <span class="muted">#{String(tokenId)}</span> ${formatDollars(principal).replace(/\.00$/, '')}
      </span>
      <span class="timeline-track" aria-hidden="true">
        <span
          class={isMature ? 'bar is-mature' : 'bar'}
          style={{ left: `${left}%`, width: `${Math.max(0.6, right - left)}%` }}
        >
          <span style={{ width: `${done}%` }} />
        </span>
      </span>
      <span class="timeline-when">
        {isMature ? (
          <strong>can be claimed</strong>
        ) : (
          <>
            {formatDate(maturityTimestamp, newYorkZone)}
            <span class="muted"> in {formatDuration(Number(maturityTimestamp - now))}</span>
          </>
        )}
      </span>
    </li>
  )
}

/** Firsts of a month, so few that their names do not run into each other. */
function monthsBetween(start: bigint, end: bigint) {
  const [from, to] = [Number(start) * 1000, Number(end) * 1000]
  const every = Math.max(1, Math.ceil((to - from) / monthMs / 6))
  const first = new Date(from)
  return Array.from({ length: 8 }, (_, index) =>
    Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1 + index * every),
  )
    .filter((instant) => instant < to - (to - from) * 0.04)
    .map((instant) => ({
      seconds: BigInt(instant / 1000),
      label: new Date(instant).toLocaleDateString('en-GB', { month: 'short', year: '2-digit', timeZone: 'UTC' }),
    }))
}
