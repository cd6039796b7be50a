import { type ChartLayout, type ChartSize, layOutRates, plotOf, thinTicks } from '@tallystick/ui'
import { earliest, latest, type Slot, type StepSeries } from './step-series.ts'
import { listTimeTicks } from './time-ticks.ts'

export type StepLayout = ChartLayout & {
  /** In the order of the series. */
  readonly lines: readonly {
    readonly path: string
    /** Where the name of the line is written. */
    readonly label: { readonly x: number; readonly y: number }
  }[]
  readonly xOf: (seconds: number) => number
  readonly yOf: (bps: number) => number
}

const tickWidth = 62
const labelHeight = 14

type Options = ChartSize & { readonly zone: string; readonly slots: readonly Slot[] }

/** Computes the coordinates of step lines. Every series must have a span. */
export function layOutSteps(series: readonly StepSeries[], { zone, slots, ...size }: Options): StepLayout {
  const plot = plotOf(size, 44)
  const spans = series.flatMap((each) => each.spans)
  const [start, end] = [earliest(spans), latest(spans)]
  const { yOf, rateTicks } = layOutRates(
    spans.map(({ bps }) => bps),
    plot,
  )
  const xOf = (seconds: number) => plot.left + ((seconds - start) / (end - start)) * (plot.right - plot.left)
  const countMax = Math.max(2, Math.floor((plot.right - plot.left) / tickWidth))
  const labels = spreadLabels(
    series.map((each) => yOf(each.spans.at(-1)?.bps as number)),
    plot,
  )
  return {
    lines: series.map((each, index) => ({
      path: pathOf(each, { xOf, yOf }),
      label: { x: xOf(each.spans.at(-1)?.end as number) + 7, y: labels[index] as number },
    })),
    rateTicks,
    ticks: thinTicks(
      listTimeTicks({ start, end, zone, countMax }).map(({ seconds, label }) => ({ x: xOf(seconds), label })),
    ),
    stops: slots.map((slot) => ({ x: xOf((slot.start + slot.end) / 2), until: xOf(slot.end) })),
    plot,
    xOf,
    yOf,
  }
}

/** Draws a span as a horizontal line. Spans that touch are joined by a vertical one. */
function pathOf({ spans }: StepSeries, { xOf, yOf }: Pick<StepLayout, 'xOf' | 'yOf'>): string {
  let path = ''
  for (const [index, { start, end, bps }] of spans.entries()) {
    const [left, right, y] = [xOf(start), xOf(end), yOf(bps)].map((value) => value.toFixed(1))
    path += spans[index - 1]?.end === start ? `V${y}H${right}` : `M${left} ${y}H${right}`
  }
  return path
}

/** Moves labels apart that would overlap. Returns their heights in the order given. */
function spreadLabels(heights: readonly number[], { bottom }: { readonly bottom: number }): readonly number[] {
  const order = heights.map((_, index) => index).sort((a, b) => (heights[a] as number) - (heights[b] as number))
  const spread = [...heights]
  let limit = Number.NEGATIVE_INFINITY
  for (const index of order) {
    spread[index] = Math.max(heights[index] as number, limit)
    limit = (spread[index] as number) + labelHeight
  }
  limit = bottom
  for (const index of order.toReversed()) {
    spread[index] = Math.min(spread[index] as number, limit)
    limit = (spread[index] as number) - labelHeight
  }
  return spread
}
