import { type AxisTitles, Chart, type ChartSize, formatRate } from '@tallystick/ui'
import { useCallback, useMemo } from 'preact/hooks'
import { layOutSteps, type StepLayout } from './lay-out-steps.ts'
import { rateAt, type Slot, type StepSeries } from './step-series.ts'

type ChartProps = {
  /** Prefix of the ids of its elements. */
  readonly id: string
  readonly title: string
  readonly axes: AxisTitles
  /** Each has at least one span. */
  readonly series: readonly StepSeries[]
  readonly choice: SlotChoice
  /** Names of the lines that are hidden. */
  readonly hidden?: readonly string[]
  readonly onHide?: (names: readonly string[]) => void
  /** What a slot is, for screen readers. */
  readonly slotName: string
  /** Of the days on the axis. */
  readonly zone: string
}

const height = 360
const nothing: readonly string[] = []

/** Renders rates over time as step lines. Lines of several series can be hidden. */
export function StepChart(props: ChartProps) {
  const { id, title, axes, series, choice, hidden = nothing, onHide = () => {}, slotName, zone } = props
  const { slots } = choice
  const shown = useMemo(() => {
    const visible = series.filter(({ name }) => !hidden.includes(name))
    return visible.length > 0 ? visible : series
  }, [series, hidden])
  const layOut = useCallback((size: ChartSize) => layOutSteps(shown, { ...size, zone, slots }), [shown, zone, slots])
  const toggle = (name: string) => {
    const next = hidden.includes(name) ? hidden.filter((other) => other !== name) : [...hidden, name]
    // Hiding the last line shows all of them again.
    onHide(series.every((each) => next.includes(each.name)) ? [] : next)
  }
  const at = (stop: number) => slots[stop] as Slot
  return (
    <div class="steps">
      <Chart
        {...{ id, title, axes, height, layOut }}
        description={shown.map(describeSeries).join(' ')}
        cursor={{
          name: `${slotName} on the chart ${title}`,
          stopCount: slots.length,
          chosen: choice.index,
          onChoose: (stop) => choice.onChoose(at(stop).start),
          describe: (stop) => `${at(stop).text}: ${describeSlot(shown, at(stop))}`,
          label: (stop) => <SlotLabel series={series} slot={at(stop)} />,
        }}
        readout={(stop) =>
          series.length > 1 ? <Readout {...{ series, shown, slot: at(stop), onToggle: toggle }} /> : null
        }
      >
        {(layout, active) => <Lines {...{ series, shown, layout, slot: at(active), active }} />}
      </Chart>
    </div>
  )
}

/** Renders the period or the day, and the rate if there is one line only. Rates of several lines are in the read-out. */
function SlotLabel({ series, slot }: { readonly series: readonly StepSeries[]; readonly slot: Slot }) {
  const [only, another] = series
  return (
    <>
      {slot.text}
      {only && !another ? (
        <>
          <br />
          <strong>{formatSlotRate(only, slot)}</strong>
        </>
      ) : null}
    </>
  )
}

type SlotProps = {
  readonly series: readonly StepSeries[]
  readonly shown: readonly StepSeries[]
  readonly slot: Slot
}

type LinesProps = SlotProps & { readonly layout: StepLayout; readonly active: number }

function Lines({ series, shown, layout, slot, active }: LinesProps) {
  const { plot, xOf, yOf, stops, lines } = layout
  return (
    <>
      {stops.length > 1 ? (
        <rect
          class="steps-slot"
          x={xOf(slot.start)}
          width={xOf(slot.end) - xOf(slot.start)}
          y={plot.top}
          height={plot.bottom - plot.top}
        />
      ) : null}
      {shown.map((each, index) => {
        const { path, label } = lines[index] as StepLayout['lines'][number]
        const bps = rateAt(each, slot.start)
        return (
          <g key={each.name} class="series" style={toneOf(series, each)}>
            <path class="steps-line" d={path} />
            {bps === undefined ? null : <circle class="steps-dot" cx={stops[active]?.x} cy={yOf(bps)} r="3.5" />}
            <text class="steps-label" x={label.x} y={label.y + 4}>
              {each.label}
            </text>
          </g>
        )
      })}
    </>
  )
}

function describeSlot(series: readonly StepSeries[], slot: Slot): string {
  return series.map((each) => `${each.name} ${formatSlotRate(each, slot)}`).join(', ')
}

function formatSlotRate(series: StepSeries, { start }: Slot): string {
  const bps = rateAt(series, start)
  return bps === undefined ? 'none' : formatRate(BigInt(bps))
}

function describeSeries({ name, spans }: StepSeries): string {
  const rates = spans.map(({ bps }) => BigInt(bps))
  const [low, high] = [rates.reduce((a, b) => (b < a ? b : a)), rates.reduce((a, b) => (b > a ? b : a))]
  const last = formatRate(rates.at(-1) as bigint)
  return `${name}: last ${last}, lowest ${formatRate(low)}, highest ${formatRate(high)}.`
}

/** Renders the rates at the cursor of a chart. The button of a series hides or shows its line. */
function Readout({ series, shown, slot, onToggle }: SlotProps & { readonly onToggle: (name: string) => void }) {
  return (
    <div class="row readout">
      <p class="hint">{slot.text}</p>
      <ul class="flex wrap">
        {series.map((each) => {
          const bps = rateAt(each, slot.start)
          return (
            <li key={each.name} class="series" style={toneOf(series, each)}>
              <button type="button" aria-pressed={shown.includes(each)} onClick={() => onToggle(each.name)}>
                <span>{each.name}</span>
                <strong>{bps === undefined ? '–' : formatRate(BigInt(bps))}</strong>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** Returns the place of a series between the first and the last colour. */
function toneOf(series: readonly StepSeries[], each: StepSeries): { readonly '--tone': string } {
  return { '--tone': `${Math.round((series.indexOf(each) / Math.max(1, series.length - 1)) * 100)}%` }
}

/** Chosen slot of a chart and its table. */
export type SlotChoice = {
  /** Ascending. */
  readonly slots: readonly Slot[]
  readonly index: number
  /** Is called with the start of a slot. */
  readonly onChoose: (start: number) => void
}

/** Returns the index of the slot that starts at an instant, or else of the newest. `slots` are ascending. */
export function indexOfSlot(slots: readonly Slot[], start: number | undefined): number {
  const found = slots.findIndex((slot) => slot.start === start)
  return found === -1 ? slots.length - 1 : found
}

/** Renders that a link names a slot that is not there. */
export function LostSlot({ slots, start, name }: LostSlotProps) {
  if (start === undefined || slots.some((slot) => slot.start === start)) return null
  return <p class="hint">{`The link names a ${name} that is not in this range. Shown is the newest.`}</p>
}

type LostSlotProps = {
  readonly slots: readonly Slot[]
  readonly start: number | undefined
  readonly name: string
}
