import { Chart, type ChartSize, formatDate, formatMove, formatRate, Instant, Skeleton, useZone } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { LastCoupons } from '../data/last-period.ts'
import type { Offer } from '../data/offers.ts'
import { type CurveLayout, layOutCurve } from './lay-out-curve.ts'

const height = 340

type ChartProps = {
  readonly offers: readonly Offer[] | undefined
  readonly last: LastCoupons | undefined
  readonly chosen: Offer | undefined
  readonly onChoose: (offer: Offer) => void
}

/** Renders the coupons by maturity, with those of the last period behind them. The table below has the same data. */
export function CurveChart({ offers, last, chosen, onChoose }: ChartProps) {
  return (
    <figure class="curve">
      <figcaption class="spread">
        <h2>Yield curve</h2>
        <ul class="legend flex hint" aria-hidden="true">
          <li class="legend-now">Now</li>
          {last ? <li class="legend-last">Last period</li> : null}
        </ul>
      </figcaption>
      {offers && offers.length > 0 ? (
        <Curve offers={offers} chosen={chosen} onChoose={onChoose} />
      ) : (
        <div class="curve-empty grid muted" style={{ height: `${height}px` }}>
          {offers ? <p>The curve is shown once notes are available.</p> : <Skeleton width="100%" height="100%" />}
        </div>
      )}
    </figure>
  )
}

type CurveProps = Pick<ChartProps, 'chosen' | 'onChoose'> & { readonly offers: readonly Offer[] }

function Curve({ offers, chosen, onChoose }: CurveProps) {
  const layOut = useCallback((size: ChartSize) => layOutCurve(offers, size), [offers])
  const zone = useZone()
  const at = (stop: number) => offers[stop] as Offer
  return (
    <Chart
      id="curve"
      title="Yield curve of the notes on offer"
      description={offers.map(({ tenorDays, coupon }) => `${tenorDays} days ${formatRate(coupon)}`).join(', ')}
      axes={{ rate: 'Coupon per 360-day year', horizontal: 'Days to maturity, logarithmic scale' }}
      height={height}
      layOut={layOut}
      cursor={{
        name: 'Maturity on the yield curve',
        stopCount: offers.length,
        chosen: Math.max(0, offers.indexOf(chosen as Offer)),
        onChoose: (stop) => onChoose(at(stop)),
        describe: (stop) => describeOffer(at(stop), zone),
        label: (stop) => <OfferLabel offer={at(stop)} />,
      }}
    >
      {(layout, active) => <Lines layout={layout} active={active} />}
    </Chart>
  )
}

type LinesProps = {
  readonly layout: CurveLayout
  readonly active: number
}

/** The area below the line is not filled: the rate axis does not begin at zero, so its size would mean nothing. */
function Lines({ layout: { points, lastPoints, plot }, active }: LinesProps) {
  return (
    <>
      {lastPoints.length > 1 ? <path class="line-last" d={pathOf(lastPoints)} /> : null}
      <path class="line" d={pathOf(points)} />
      {/* Each maturity is a notch on the axis and a point above it. */}
      {points.map(({ x, y, offer }, index) => (
        <g key={offer.tenorDays} class={index === active ? 'notch is-active' : 'notch'}>
          <path class="cut" d={`M${x - 4} ${plot.bottom}L${x} ${plot.bottom + 7}L${x + 4} ${plot.bottom}Z`} />
          <circle class="dot" cx={x} cy={y} r={index === active ? 5.5 : 4} />
        </g>
      ))}
    </>
  )
}

function OfferLabel({ offer: { tenorDays, maturityTimestamp, coupon, move } }: { readonly offer: Offer }) {
  return (
    <>
      {formatDays(tenorDays)}, matures <Instant seconds={maturityTimestamp} only="date" />
      <br />
      <strong>{formatRate(coupon)}</strong>
      {move === undefined ? null : <> {formatChange(move)}</>}
    </>
  )
}

function describeOffer({ tenorDays, maturityTimestamp, coupon, move }: Offer, zone: string): string {
  const matures = formatDate(maturityTimestamp, zone)
  const change = move === undefined ? '' : `, ${formatChange(move)}`
  return `${formatDays(tenorDays)}, matures ${matures}: ${formatRate(coupon)}${change}`
}

function formatDays(days: number): string {
  return days === 1 ? '1 day' : `${days} days`
}

function formatChange(move: bigint): string {
  return move === 0n ? 'unchanged' : formatMove(move)
}

function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}
