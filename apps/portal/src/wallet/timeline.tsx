import { formatCents, formatDayMonth, formatDuration, formatMonth, Instant, startOfDay, useZone } from '@tallystick/ui'
import { maturedText } from './holding-state.tsx'
import type { Holding } from './look-up-wallet.ts'

// More bars are hard to read. The table lists all positions.
const barsMax = 24

type TimelineProps = {
  readonly holdings: readonly Holding[]
  readonly now: bigint
  readonly namesChains: boolean
}

/** Renders each position as a bar from its loan to its maturity, filled up to today. */
export function Timeline({ holdings, now, namesChains }: TimelineProps) {
  const shown = holdings.slice(0, barsMax)
  const start = shown.reduce((first, { lendTimestamp }) => (lendTimestamp < first ? lendTimestamp : first), now)
  const end = shown.reduce((last, { maturityTimestamp }) => (maturityTimestamp > last ? maturityTimestamp : last), now)
  const zone = useZone()
  const part = (seconds: bigint) => (Number(seconds - start) / Math.max(1, Number(end - start))) * 100
  return (
    <figure class="card timeline">
      <figcaption class="spread">
        <h2>Maturities</h2>
        {holdings.length > barsMax ? <p class="hint">{`The next ${barsMax} of ${holdings.length}.`}</p> : null}
      </figcaption>
      <div class={namesChains ? 'timeline-plot names-chains' : 'timeline-plot'} style={{ '--rows': shown.length }}>
        <div class="timeline-scale" aria-hidden="true">
          <div class="timeline-track muted">
            {listTicks({ start, end, zone }).map(({ seconds, label }) => (
              <span key={label} class="timeline-tick nowrap" style={{ left: `${part(seconds)}%` }}>
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

type BarProps = {
  readonly holding: Holding
  readonly now: bigint
  readonly part: (seconds: bigint) => number
  readonly namesChain: boolean
}

function Bar({ holding, now, part, namesChain }: BarProps) {
  const { chain, tokenId, lendTimestamp, maturityTimestamp, amounts } = holding
  const [left, right] = [part(lendTimestamp), part(maturityTimestamp)]
  const isMature = maturityTimestamp <= now
  const done = isMature ? 100 : (Number(now - lendTimestamp) / Number(maturityTimestamp - lendTimestamp)) * 100
  return (
    <li>
      <span class="spread timeline-name">
        <span class="muted regular nowrap">{namesChain ? `${chain.id} #${tokenId}` : `#${tokenId}`}</span> $
        {formatCents(amounts.principal.cents).replace(/\.00$/, '')}
      </span>
      <span class="timeline-track" aria-hidden="true">
        <span
          class={isMature ? 'bar is-mature' : 'bar'}
          style={{ left: `${left}%`, width: `${Math.max(0.6, right - left)}%` }}
        >
          <span style={{ width: `${done}%` }} />
        </span>
      </span>
      <span class="timeline-when nowrap">
        {isMature ? (
          <strong>{maturedText(holding)}</strong>
        ) : (
          <>
            <Instant seconds={maturityTimestamp} only="date" />
            <span class="muted"> in {formatDuration(Number(maturityTimestamp - now))}</span>
          </>
        )}
      </span>
    </li>
  )
}

const day = 86_400
const ticksMax = 7

type Tick = { readonly seconds: bigint; readonly label: string }

type ListTicksOptions = {
  readonly start: bigint
  readonly end: bigint
  readonly zone: string
}

/** Returns ticks at the beginning of days or months in a zone, few enough that their labels do not overlap. */
function listTicks({ start, end, zone }: ListTicksOptions): readonly Tick[] {
  const [from, to] = [Number(start), Number(end)]
  const days = (to - from) / day
  const isShort = days < 70
  const every = Math.max(1, Math.ceil((isShort ? days : days / 30.4) / ticksMax))
  const first = new Date(from * 1000)
  const dateOf = (index: number) =>
    isShort
      ? Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + 1 + index * every)
      : Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1 + index * every)
  return Array.from({ length: ticksMax + 1 }, (_, index) => startOfDay(dateOf(index) / 1000, zone))
    .filter((seconds) => seconds > from && seconds < to - (to - from) * 0.03)
    .map(BigInt)
    .map((seconds) => ({ seconds, label: isShort ? formatDayMonth(seconds, zone) : formatMonth(seconds, zone) }))
}
