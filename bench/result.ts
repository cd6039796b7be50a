/** One figure, beside its baseline where it has one. `ratio` is value over baseline, `spread` its lowest and highest. */
export type Result = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline: number | null
  readonly ratio: number | null
  readonly spread?: readonly [number, number]
}

/** The median of the rounds of a pair measured in turns. */
export function compare(
  { name, unit }: { readonly name: string; readonly unit: string },
  rounds: readonly { readonly value: number; readonly baseline: number }[],
): Result {
  const ratios = rounds.map(({ value, baseline }) => value / baseline).sort((a, b) => a - b)
  return {
    name,
    value: median(rounds.map(({ value }) => value)),
    unit,
    baseline: median(rounds.map(({ baseline }) => baseline)),
    ratio: median(ratios),
    spread: [ratios[0] ?? 0, ratios.at(-1) ?? 0],
  }
}

export function formatResults(results: readonly Result[]): string {
  const rows = results.map(({ name, value, unit, baseline, ratio, spread }) => [
    name,
    `${format(value)} ${unit}`,
    baseline === null ? '' : format(baseline),
    ratio === null ? '' : format(ratio),
    spread ? `${format(spread[0])} to ${format(spread[1])}` : '',
  ])
  const table = [['name', 'value', 'baseline', 'ratio', 'spread'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Three digits that mean something. */
function format(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3)
}
