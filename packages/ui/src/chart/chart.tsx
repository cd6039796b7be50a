import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ChartLayout, type ChartSize, findStop, flagBottom } from './chart-layout.ts'

/** What the axes measure. */
export type AxisTitles = { readonly rate: string; readonly horizontal: string }

/** Cursor of a chart. It stops at every point, and its stop is a choice of the visitor. */
type Cursor = {
  /** What it moves along, for screen readers. */
  readonly name: string
  readonly stopCount: number
  readonly chosen: number
  readonly onChoose: (stop: number) => void
  /** Describes a stop with its figures, for screen readers. */
  readonly describe: (stop: number) => string
  /** Renders the label of a stop, in at most two lines. */
  readonly label: (stop: number) => ComponentChildren
}

type ChartProps<Layout extends ChartLayout> = {
  /** Prefix of the ids of its elements. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly axes: AxisTitles
  readonly height: number
  readonly cursor: Cursor
  /** Keeps its identity while the data is the same: two years have thousands of steps. */
  readonly layOut: (size: ChartSize) => Layout
  /** Draws the lines. `active` is the stop under the pointer, or else the chosen one. */
  readonly children: (layout: Layout, active: number) => ComponentChildren
  /** Renders further figures of the active stop below the chart. */
  readonly readout?: (active: number) => ComponentChildren
}

/**
 * Renders a chart with axes and a cursor. The pointer previews a stop, and a click or a tap chooses it. By keyboard a slider
 * moves the cursor: it is not visible, but the chart shows its focus. A table with the same figures must be near.
 */
export function Chart<Layout extends ChartLayout>(props: ChartProps<Layout>) {
  const { height, cursor, layOut, readout } = props
  const [box, width] = useWidth()
  const [hovered, setHovered] = useState<number>()
  // Other data may have fewer stops.
  const active = Math.min(hovered ?? cursor.chosen, cursor.stopCount - 1)
  const layout = useMemo(() => (width > 0 ? layOut({ width, height }) : undefined), [layOut, width, height])
  return (
    <>
      <div class="chart">
        <input
          class="chart-slider"
          type="range"
          min={0}
          max={cursor.stopCount - 1}
          value={cursor.chosen}
          aria-label={cursor.name}
          aria-valuetext={cursor.describe(cursor.chosen)}
          onInput={(event) => cursor.onChoose(Number(event.currentTarget.value))}
        />
        <div ref={box} class="chart-box" style={{ height: `${height}px` }}>
          {layout ? <Drawing {...props} {...{ layout, width, active, onHover: setHovered }} /> : null}
        </div>
      </div>
      {readout?.(active)}
    </>
  )
}

type DrawingProps<Layout extends ChartLayout> = ChartProps<Layout> & {
  readonly layout: Layout
  readonly width: number
  readonly active: number
  readonly onHover: (stop: number | undefined) => void
}

function Drawing<Layout extends ChartLayout>(props: DrawingProps<Layout>) {
  const { id, title, description, axes, height, cursor, children, layout, width, active, onHover } = props
  const { stops, plot } = layout
  const stopAt = ({ clientX, currentTarget }: MouseEvent) =>
    findStop(stops, clientX - (currentTarget as Element).getBoundingClientRect().left)
  const x = stops[active]?.x ?? 0
  // The label moves with the cursor and never leaves the chart: its left part is as large as the chart's.
  const part = `${((100 * x) / width).toFixed(2)}%`
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: by keyboard the slider chooses. */}
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-labelledby={`${id}-title ${id}-text`}
        onPointerMove={(event) => onHover(stopAt(event))}
        onPointerDown={(event) => onHover(stopAt(event))}
        onPointerLeave={() => onHover(undefined)}
        onPointerCancel={() => onHover(undefined)}
        onClick={(event) => cursor.onChoose(stopAt(event))}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-text`}>{description}</desc>
        <Axes layout={layout} axes={axes} height={height} />
        <line class="chart-stem" x1={x} x2={x} y1={flagBottom} y2={plot.bottom} />
        <path class="chart-cursor" d={`M${x - 5} ${plot.bottom}l5 8l5-8Z`} />
        {children(layout, active)}
      </svg>
      <p class="chart-flag" aria-hidden="true" style={{ left: part, transform: `translateX(-${part})` }}>
        {cursor.label(active)}
      </p>
    </>
  )
}

/** Returns a ref and the current width of its element in pixels. The width is 0 until it is measured. */
function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}

/** Renders both axes with their ticks and titles. */
function Axes({ layout, axes, height }: Pick<DrawingProps<ChartLayout>, 'layout' | 'axes' | 'height'>) {
  const { plot, rateTicks, ticks } = layout
  return (
    <>
      <text class="axis-title" x={0} y={12}>
        {axes.rate}
      </text>
      {rateTicks.map(({ y, label }) => (
        <g key={label}>
          <line class="chart-grid" x1={plot.left} x2={plot.right} y1={y} y2={y} />
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
        {axes.horizontal}
      </text>
    </>
  )
}
