import type { ChartLayout } from './chart-layout.ts'

/** What the axes measure. */
export type AxisTitles = { readonly rate: string; readonly horizontal: string }

type AxesProps = {
  readonly layout: ChartLayout
  readonly titles: AxisTitles
  readonly height: number
}

/** Renders both axes with their ticks and titles. */
export function Axes({ layout: { plot, rateTicks, ticks }, titles, height }: AxesProps) {
  return (
    <>
      <text class="axis-title" x={0} y={12}>
        {titles.rate}
      </text>
      {rateTicks.map(({ y, label }) => (
        <g key={label}>
          <line class="grid" x1={plot.left} x2={plot.right} y1={y} y2={y} />
          <text class="tick" x={plot.left - 10} y={y + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {ticks.map(({ x, label }) => (
        <g key={x}>
          <line class="chart-tick" x1={x} x2={x} y1={plot.bottom} y2={plot.bottom + 5} />
          <text class="tick" x={x} y={plot.bottom + 23} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
      <text class="axis-title" x={plot.right} y={height - 6} text-anchor="end">
        {titles.horizontal}
      </text>
    </>
  )
}
