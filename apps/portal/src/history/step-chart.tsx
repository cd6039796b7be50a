import { useMemo, useState } from 'preact/hooks'
import { formatRate } from '../format/format-rate.ts'
import { useWidth } from '../parts/use-width.ts'
import { layOutSteps, type StepLayout } from './lay-out-steps.ts'
import { Readout, toneOf } from './readout.tsx'
import { rateAt, type Slot, type StepSeries } from './step-series.ts'
import type { AxisZone } from './time-ticks.ts'

type ChartProps = {
  /** Prefix of the ids of its elements. */
  readonly id: string
  readonly title: string
  /** Each has at least one span. */
  readonly series: readonly StepSeries[]
  /** Ascending. */
  readonly slots: readonly Slot[]
  /** What a slot is, for screen readers. */
  readonly slotName: string
  readonly zone: AxisZone
}

const height = 300

/**
 * Renders rates over time as step lines, with a cursor that follows the pointer. By keyboard a slider moves the cursor: it is
 * not visible, but the chart shows its focus. A table with the same figures must be near.
 */
export function StepChart({ id, title, series, slots, slotName, zone }: ChartProps) {
  const [box, width] = useWidth()
  const [moved, setMoved] = useState<number | undefined>(undefined)
  const [hidden, setHidden] = useState<readonly string[]>([])
  // The newest slot until the visitor moves the cursor. Other data may have fewer slots.
  const index = Math.min(moved ?? slots.length - 1, slots.length - 1)
  const slot = slots[index] as Slot
  const shown = useMemo(() => {
    const visible = series.filter(({ name }) => !hidden.includes(name))
    return visible.length > 0 ? visible : series
  }, [series, hidden])
  const toggle = (name: string) => {
    const next = hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]
    // Hiding the last line shows all of them again.
    setHidden(series.every((each) => next.includes(each.name)) ? [] : next)
  }
  return (
    <>
      <div class="steps">
        <input
          class="steps-slider"
          type="range"
          min={0}
          max={slots.length - 1}
          value={index}
          aria-label={`${slotName} on the chart ${title}`}
          aria-valuetext={`${slot.text}: ${describeSlot(shown, slot)}`}
          onInput={(event) => setMoved(Number(event.currentTarget.value))}
        />
        <div ref={box} class="steps-box" style={{ height: `${height}px` }}>
          {width > 0 ? <Drawing {...{ id, title, series, shown, slots, slot, zone, width, onMove: setMoved }} /> : null}
        </div>
      </div>
      <Readout {...{ series, shown, slot, onToggle: toggle }} />
    </>
  )
}

function Drawing({
  id,
  title,
  series,
  shown,
  slots,
  slot,
  zone,
  width,
  onMove,
}: Pick<ChartProps, 'id' | 'title' | 'series' | 'slots' | 'zone'> & {
  readonly shown: readonly StepSeries[]
  readonly slot: Slot
  readonly width: number
  readonly onMove: (index: number) => void
}) {
  // Not with every move of the pointer: two years have thousands of steps.
  const layout = useMemo(() => layOutSteps(shown, { width, height, zone }), [shown, width, zone])
  const { plot, xOf, yOf } = layout
  const move = (event: MouseEvent) => {
    const x = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left
    const after = slots.findIndex(({ end }) => xOf(end) > x)
    onMove(after === -1 ? slots.length - 1 : after)
  }
  const middle = xOf((slot.start + slot.end) / 2)
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-labelledby={`${id}-title ${id}-text`}
      onPointerMove={move}
      onPointerDown={move}
    >
      <title id={`${id}-title`}>{title}</title>
      <desc id={`${id}-text`}>{shown.map(describeSeries).join(' ')}</desc>
      <Axes layout={layout} />
      {slots.length > 1 ? (
        <rect
          class="steps-slot"
          x={xOf(slot.start)}
          width={xOf(slot.end) - xOf(slot.start)}
          y={plot.top}
          height={plot.bottom - plot.top}
        />
      ) : null}
      <path class="steps-cursor" d={`M${middle - 5} ${plot.bottom}l5 8l5-8Z`} />
      {shown.map((each, index) => {
        const { path, area, label } = layout.lines[index] as StepLayout['lines'][number]
        const bps = rateAt(each, slot.start)
        return (
          <g key={each.name} class="series" style={toneOf(series, each)}>
            {series.length === 1 ? <path class="steps-area" d={area} /> : null}
            <path class="steps-line" d={path} />
            {bps === undefined ? null : <circle class="steps-dot" cx={middle} cy={yOf(bps)} r="3.5" />}
            <text class="steps-label" x={label.x} y={label.y + 4}>
              {each.label}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

function Axes({ layout: { plot, rateTicks, timeTicks } }: { readonly layout: StepLayout }) {
  return (
    <>
      {rateTicks.map(({ y, label }) => (
        <g key={label}>
          <line class="grid" x1={plot.left} x2={plot.right} y1={y} y2={y} />
          <text class="tick" x={plot.left - 10} y={y + 4} text-anchor="end">
            {label}
          </text>
        </g>
      ))}
      {timeTicks.map(({ x, label }) => (
        <g key={x}>
          <line class="steps-tick" x1={x} x2={x} y1={plot.bottom} y2={plot.bottom + 5} />
          <text class="tick" x={x} y={plot.bottom + 22} text-anchor="middle">
            {label}
          </text>
        </g>
      ))}
    </>
  )
}

function describeSlot(series: readonly StepSeries[], { start }: Slot): string {
  return series
    .map((each) => {
      const bps = rateAt(each, start)
      return `${each.name} ${bps === undefined ? 'none' : formatRate(BigInt(bps))}`
    })
    .join(', ')
}

function describeSeries({ name, spans }: StepSeries): string {
  const rates = spans.map(({ bps }) => BigInt(bps))
  const [low, high] = [rates.reduce((a, b) => (b < a ? b : a)), rates.reduce((a, b) => (b > a ? b : a))]
  const last = formatRate(rates.at(-1) as bigint)
  return `${name}: last ${last}, lowest ${formatRate(low)}, highest ${formatRate(high)}.`
}
