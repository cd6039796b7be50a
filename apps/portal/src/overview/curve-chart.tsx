import { useState } from 'preact/hooks'
import type { LastCoupons } from '../data/last-period.ts'
import type { Offer } from '../data/offers.ts'
import { formatMove, formatRate } from '../format/format-rate.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { useWidth } from '../parts/use-width.ts'
import { layOutCurve, type Point } from './lay-out-curve.ts'

const height = 280

type ChartProps = {
  readonly offers: readonly Offer[] | undefined
  readonly last: LastCoupons | undefined
  readonly chosen: Offer | undefined
  readonly onChoose: (offer: Offer) => void
}

/** Renders the coupons by maturity, with those of the last period behind them. The table below has the same data. */
export function CurveChart({ offers, last, chosen, onChoose }: ChartProps) {
  const [box, width] = useWidth()
  return (
    <figure class="curve">
      <figcaption>
        <h2>Yield curve</h2>
        <ul class="legend" aria-hidden="true">
          <li class="legend-now">Now</li>
          {last ? <li class="legend-last">Last period</li> : null}
        </ul>
      </figcaption>
      <div ref={box} class="curve-box" style={{ height: `${height}px` }}>
        {offers ? null : <Skeleton height="100%" />}
        {offers?.length === 0 ? <p class="curve-empty">The curve is shown once notes are available.</p> : null}
        {width > 0 && offers && offers.length > 0 ? <Drawing {...{ offers, last, chosen, onChoose, width }} /> : null}
      </div>
    </figure>
  )
}

function Drawing({
  offers,
  chosen,
  onChoose,
  width,
}: Omit<ChartProps, 'offers'> & { readonly offers: readonly Offer[]; readonly width: number }) {
  const [hovered, setHovered] = useState<Offer | undefined>(undefined)
  const { points, lastPoints, ticks, plot } = layOutCurve(offers, { width, height })
  const active = hovered ?? chosen
  const activePoint = points.find(({ offer }) => offer === active)
  const nearest = (event: MouseEvent) => {
    const x = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left
    return points.reduce((best, point) => (Math.abs(point.x - x) < Math.abs(best.x - x) ? point : best)).offer
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the calculator's buttons choose a maturity by keyboard.
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-labelledby="curve-title curve-text"
      onMouseMove={(event) => setHovered(nearest(event))}
      onMouseLeave={() => setHovered(undefined)}
      onClick={(event) => onChoose(nearest(event))}
    >
      <title id="curve-title">Yield curve of the notes on offer</title>
      <desc id="curve-text">{describe(offers)}</desc>
      <defs>
        <linearGradient id="curve-fill" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" class="fill-top" />
          <stop offset="1" class="fill-end" />
        </linearGradient>
      </defs>
      {ticks.map(({ y, label }) => (
        <g key={label}>
          <line class="grid" x1={plot.left} x2={plot.right} y1={y} y2={y} />
          <text class="tick" x={plot.left - 10} y={y + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      <path class="area" d={`${pathOf(points)}V${plot.bottom}H${points[0]?.x}Z`} />
      {lastPoints.length > 1 ? <path class="line-last" d={pathOf(lastPoints)} /> : null}
      <path class="line" d={pathOf(points)} />
      {points.map((point) => (
        <Notch
          key={point.offer.tenorDays}
          {...{ point, bottom: plot.bottom, isActive: point.offer === active, isNarrow: width < 460 }}
        />
      ))}
      {activePoint ? <Label point={activePoint} width={width} /> : null}
    </svg>
  )
}

/** Renders a maturity as a notch on the axis and a point above it. */
function Notch({
  point: { x, y, offer },
  bottom,
  isActive,
  isNarrow,
}: {
  readonly point: Point
  readonly bottom: number
  readonly isActive: boolean
  /** Leaves out the unit of each number. */
  readonly isNarrow: boolean
}) {
  return (
    <g class={isActive ? 'notch is-active' : 'notch'}>
      <line class="stem" x1={x} x2={x} y1={y} y2={bottom} />
      <path class="cut" d={`M${x - 4} ${bottom}L${x} ${bottom + 7}L${x + 4} ${bottom}Z`} />
      <circle class="dot" cx={x} cy={y} r={isActive ? 5.5 : 4} />
      <text class="tick" x={x} y={bottom + 24} text-anchor="middle">
        {isNarrow ? offer.tenorDays : `${offer.tenorDays}d`}
      </text>
    </g>
  )
}

function Label({ point: { x, y, offer }, width }: { readonly point: Point; readonly width: number }) {
  const [boxWidth, boxHeight] = [offer.move === undefined ? 72 : 148, 30]
  const left = Math.min(Math.max(x - boxWidth / 2, 2), width - boxWidth - 2)
  const top = y - boxHeight - 14 < 0 ? y + 14 : y - boxHeight - 14
  return (
    <g class="label">
      <rect x={left} y={top} width={boxWidth} height={boxHeight} rx="8" />
      <text x={left + boxWidth / 2} y={top + 20} text-anchor="middle">
        <tspan class="label-rate">{formatRate(offer.note.coupon)}</tspan>
        {offer.move === undefined ? null : (
          <tspan dx="8">{offer.move === 0n ? 'no change' : formatMove(offer.move)}</tspan>
        )}
      </text>
    </g>
  )
}

function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}

function describe(offers: readonly Offer[]): string {
  return offers.map(({ tenorDays, note }) => `${tenorDays} days ${formatRate(note.coupon)}`).join(', ')
}
