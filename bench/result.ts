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
  /** What the target is of, ratio or value, in each of several runs. */
  readonly runs?: readonly number[] | undefined
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

/** Combines the results of several runs: medians, and the figures of each run. */
export function combineRuns(runs: readonly (readonly Result[])[]): readonly Result[] {
  const [first = []] = runs
  if (runs.length === 1) return first
  return first.map((result) => {
    const same = runs.flatMap((results) => results.filter(({ name }) => name === result.name))
    const medianOf = (read: (result: Result) => number | null) => {
      const values = same.flatMap((one) => read(one) ?? [])
      return values.length > 0 ? median(values) : null
    }
    const spread = same.flatMap((one) => one.spread ?? [])
    return {
      ...result,
      value: medianOf(({ value }) => value) ?? Number.NaN,
      baseline: medianOf(({ baseline }) => baseline),
      ratio: medianOf(({ ratio }) => ratio),
      ...(spread.length > 0 && { spread: [Math.min(...spread), Math.max(...spread)] as const }),
      runs: same.flatMap((one) => measureOf(one) ?? []),
    }
  })
}

/** Returns the number that a target is of. */
function measureOf({ value, ratio, target }: Result): number | null {
  return ratio === null || (target && ('valueAtMost' in target || 'valueAtLeast' in target)) ? value : ratio
}

/** Returns whether a figure meets its target in every run, or undefined if it has none. */
export function meetsTarget(result: Result): boolean | undefined {
  const { target, ratio, runs } = result
  if (!target || (ratio === null && ('atLeast' in target || 'atMost' in target))) return undefined
  const measured = runs ?? [measureOf(result) as number]
  if ('valueAtMost' in target) return measured.every((value) => value <= target.valueAtMost)
  if ('valueAtLeast' in target) return measured.every((value) => value >= target.valueAtLeast)
  if ('atMost' in target) return measured.every((value) => value <= target.atMost)
  return measured.every((value) => value >= target.atLeast)
}

export function formatResults(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.name,
    `${format(result.value)} ${result.unit}`,
    result.baseline === null ? '' : format(result.baseline),
    result.ratio === null ? '' : format(result.ratio),
    result.spread ? `${format(result.spread[0])} to ${format(result.spread[1])}` : '',
    (result.runs ?? []).map(format).join(', '),
    formatTarget(result),
  ])
  const table = [['name', 'value', 'baseline', 'ratio', 'spread', 'runs', 'target'], ...rows]
  const widths = [0, 1, 2, 3, 4, 5, 6].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
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
