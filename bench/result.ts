/** Target of the ratio or of the value itself. */
export type Target =
  | { readonly atLeast: number }
  | { readonly atMost: number }
  | { readonly valueAtMost: number }
  | { readonly valueAtLeast: number }

/**
 * One figure with its baseline, if it has one. `ratio` is value over baseline, `spread` its lowest and highest value.
 */
export type Result = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline: number | null
  readonly ratio: number | null
  readonly spread?: readonly [number, number]
  readonly target?: Target | undefined
  /** Program that served the measured data, if relevant. */
  readonly source?: string | undefined
}

export type Round = { readonly value: number; readonly baseline: number }

/** Returns the medians of a pair that was measured in turns. */
export function compare(figure: Pick<Result, 'name' | 'unit' | 'target' | 'source'>, rounds: readonly Round[]): Result {
  const ratios = rounds.map(({ value, baseline }) => value / baseline).sort((a, b) => a - b)
  return {
    ...figure,
    value: median(rounds.map(({ value }) => value)),
    baseline: median(rounds.map(({ baseline }) => baseline)),
    ratio: median(ratios),
    spread: [ratios[0] ?? 0, ratios.at(-1) ?? 0],
  }
}

/**
 * Returns the medians and their ratio. For figures that a single pause can multiply, so that the ratios of single rounds
 * vary too much.
 */
export function compareMedians(figure: Pick<Result, 'name' | 'unit' | 'target'>, rounds: readonly Round[]): Result {
  const compared = compare(figure, rounds)
  return { ...compared, ratio: compared.value / (compared.baseline ?? Number.NaN) }
}

/** Returns whether a figure meets its target, or undefined if it has none. */
export function meetsTarget({ value, ratio, target }: Result): boolean | undefined {
  if (!target) return undefined
  if ('valueAtMost' in target) return value <= target.valueAtMost
  if ('valueAtLeast' in target) return value >= target.valueAtLeast
  if (ratio === null) return undefined
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost
}

export function formatResults(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.name,
    `${format(result.value)} ${result.unit}`,
    result.baseline === null ? '' : format(result.baseline),
    result.ratio === null ? '' : format(result.ratio),
    result.spread ? `${format(result.spread[0])} to ${format(result.spread[1])}` : '',
    formatTarget(result),
  ])
  const table = [['name', 'value', 'baseline', 'ratio', 'spread', 'target'], ...rows]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function formatTarget(result: Result): string {
  const { target } = result
  if (!target) return ''
  const text = describeTarget(target, result.unit)
  return meetsTarget(result) ? text : `${text} MISSED`
}

function describeTarget(target: Target, unit: string): string {
  if ('valueAtMost' in target) return `≤ ${target.valueAtMost} ${unit}`
  if ('valueAtLeast' in target) return `≥ ${target.valueAtLeast} ${unit}`
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`
}

/** Formats a value with three significant digits. */
function format(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3)
}
