import { chooseRateScale, listRateTicks } from '../parts/choose-rate-scale.ts'
import { earliest, latest, type StepSeries } from './step-series.ts'
import { type AxisZone, listTimeTicks } from './time-ticks.ts'

export type StepLayout = {
  /** In the order of the series. */
  readonly lines: readonly {
    readonly path: string
    /** Path of the area below the line. */
    readonly area: string
    /** Where the name of the line is written. */
    readonly label: { readonly x: number; readonly y: number }
  }[]
  readonly rateTicks: readonly { readonly y: number; readonly label: string }[]
  readonly timeTicks: readonly { readonly x: number; readonly label: string }[]
  readonly plot: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }
  readonly xOf: (seconds: number) => number
  readonly yOf: (bps: number) => number
}

const tickWidth = 62
const labelHeight = 14

/** Computes the coordinates of step lines. Every series must have a span. */
export function layOutSteps(
  series: readonly StepSeries[],
  { width, height, zone }: { readonly width: number; readonly height: number; readonly zone: AxisZone },
): StepLayout {
  const plot = { left: 52, right: width - 44, top: 16, bottom: height - 34 }
  const spans = series.flatMap((each) => each.spans)
  const [start, end] = [earliest(spans), latest(spans)]
  const rates = spans.map(({ bps }) => bps)
  const scale = chooseRateScale(
    rates.reduce((low, bps) => Math.min(low, bps)),
    rates.reduce((high, bps) => Math.max(high, bps)),
  )
  const xOf = (seconds: number) => plot.left + ((seconds - start) / (end - start)) * (plot.right - plot.left)
  const yOf = (bps: number) => plot.bottom - ((bps - scale.low) / (scale.high - scale.low)) * (plot.bottom - plot.top)
  const countMax = Math.max(2, Math.floor((plot.right - plot.left) / tickWidth))
  const labels = spreadLabels(
    series.map((each) => yOf(each.spans.at(-1)?.bps as number)),
    plot,
  )
  return {
    lines: series.map((each, index) => ({
      ...pathsOf(each, { xOf, yOf, bottom: plot.bottom }),
      label: { x: xOf(each.spans.at(-1)?.end as number) + 7, y: labels[index] as number },
    })),
    rateTicks: listRateTicks(scale).map(({ bps, label }) => ({ y: yOf(bps), label })),
    timeTicks: listTimeTicks({ start, end, zone, countMax }).map(({ seconds, label }) => ({ x: xOf(seconds), label })),
    plot,
    xOf,
    yOf,
  }
}

/** Draws a span as a horizontal line. Spans that touch are joined by a vertical one. */
function pathsOf(
  { spans }: StepSeries,
  { xOf, yOf, bottom }: Pick<StepLayout, 'xOf' | 'yOf'> & { readonly bottom: number },
): { readonly path: string; readonly area: string } {
  let [path, area] = ['', '']
  for (const [index, { start, end, bps }] of spans.entries()) {
    const [left, right, y] = [xOf(start), xOf(end), yOf(bps)].map((value) => value.toFixed(1))
    path += spans[index - 1]?.end === start ? `V${y}H${right}` : `M${left} ${y}H${right}`
    area += `M${left} ${y}H${right}V${bottom}H${left}Z`
  }
  return { path, area }
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
