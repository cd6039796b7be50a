export type Plot = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }

/** Coordinates that every chart has. */
export type ChartLayout = {
  readonly plot: Plot
  readonly rateTicks: readonly { readonly y: number; readonly label: string }[]
  readonly ticks: readonly { readonly x: number; readonly label: string }[]
  /** Places of the cursor, from left to right. A pointer left of `until` is at that stop or at an earlier one. */
  readonly stops: readonly { readonly x: number; readonly until: number }[]
}

/** Space above the plot for the label of the cursor, so that it covers neither points nor text. */
export const flagBottom = 66

/** Size of a chart in pixels. */
export type ChartSize = { readonly width: number; readonly height: number }

/** Returns the plot of a chart, with space for the axes, their titles, the label of the cursor and a margin on the right. */
export function plotOf({ width, height }: ChartSize, margin: number): Plot {
  return { left: 52, right: width - margin, top: flagBottom + 8, bottom: height - 54 }
}

/** Returns the index of the stop at a horizontal position. */
export function findStop(stops: ChartLayout['stops'], x: number): number {
  const found = stops.findIndex(({ until }) => x < until)
  return found === -1 ? stops.length - 1 : found
}

const digitWidth = 7
const tickGap = 4

/** Leaves out ticks whose label would touch the one before. */
export function thinTicks<Tick extends ChartLayout['ticks'][number]>(ticks: readonly Tick[]): readonly Tick[] {
  const kept: Tick[] = []
  for (const tick of ticks) {
    const before = kept.at(-1)
    const room = before ? ((tick.label.length + before.label.length) * digitWidth) / 2 + tickGap : 0
    if (!before || tick.x - before.x >= room) kept.push(tick)
  }
  return kept
}
