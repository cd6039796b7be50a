import { formatDollars } from '../format/dollars.ts'
import { formatDate, formatDuration, newYorkZone } from '../format/format-time.ts'
import type { Holding } from './look-up-wallet.ts'

// More bars are hard to read. The table lists all positions.
const barsMax = 24
const dayMs = 86_400_000
const ticksMax = 7

/** Renders each position as a bar from its loan to its maturity, filled up to today. */
export function Timeline({
  holdings,
  now,
  namesChains,
}: {
  readonly holdings: readonly Holding[]
  readonly now: bigint
  readonly namesChains: boolean
}) {
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
      <div class={namesChains ? 'timeline-plot names-chains' : 'timeline-plot'} style={{ '--rows': shown.length }}>
        <div class="timeline-scale" aria-hidden="true">
          <div class="timeline-track">
            {ticksBetween(start, end).map(({ seconds, label }) => (
              <span key={label} class="timeline-tick" style={{ left: `${part(seconds)}%` }}>
                {label}
              </span>
            ))}
            <i class="today" style={{ left: `${part(now)}%` }} />
          </div>
        </div>
        <ol>
          {shown.map((holding) => (
            <Bar key={`${holding.chain.id}-${holding.tokenId}`} {...{ holding, now, part, namesChain: namesChains }} />
          ))}
        </ol>
      </div>
    </figure>
  )
}

function Bar({
  holding: { chain, tokenId, lendTimestamp, maturityTimestamp, principal },
  now,
  part,
  namesChain,
}: {
  readonly holding: Holding
  readonly now: bigint
  readonly part: (seconds: bigint) => number
  readonly namesChain: boolean
}) {
  const [left, right] = [part(lendTimestamp), part(maturityTimestamp)]
  const isMature = maturityTimestamp <= now
  const done = isMature ? 100 : (Number(now - lendTimestamp) / Number(maturityTimestamp - lendTimestamp)) * 100
  return (
    <li>
      <span class="timeline-name">
        <span class="muted">{namesChain ? `${chain.id} #${tokenId}` : `#${tokenId}`}</span> $
        {formatDollars(principal).replace(/\.00$/, '')}
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
          <strong>claimable</strong>
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

/** Returns ticks at days or at the first of months, few enough that their labels do not overlap. */
function ticksBetween(start: bigint, end: bigint) {
  const [from, to] = [Number(start) * 1000, Number(end) * 1000]
  const days = (to - from) / dayMs
  const first = new Date(from)
  const isShort = days < 70
  const every = Math.max(1, Math.ceil((isShort ? days : days / 30.4) / ticksMax))
  const instantOf = (index: number) =>
    isShort
      ? Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + 1 + index * every)
      : Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1 + index * every)
  return Array.from({ length: ticksMax + 1 }, (_, index) => instantOf(index))
    .filter((instant) => instant < to - (to - from) * 0.03)
    .map((instant) => ({
      seconds: BigInt(instant / 1000),
      label: isShort ? formatDayMonth(instant) : formatMonth(instant),
    }))
}

function formatDayMonth(instant: number): string {
  return new Date(instant).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

function formatMonth(instant: number): string {
  return new Date(instant).toLocaleDateString('en-GB', { month: 'short', year: '2-digit', timeZone: 'UTC' })
}
