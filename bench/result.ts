/** One figure beside its baseline. `ratio` is value over baseline; `spread` its lowest and highest round. */
export type Result = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline: number
  readonly ratio: number
  readonly spread: readonly [number, number]
}

/** The median of the rounds of a pair measured in turns. */
export function compare(
  { name, unit }: { readonly name: string; readonly unit: string },
  rounds: readonly { readonly value: number; readonly baseline: number }[],
): Result {
  const ratios = rounds.map(({ value, baseline }) => value / baseline).sort((a, b) => a - b)
  return {
    name,
    value: Math.round(median(rounds.map(({ value }) => value))),
    unit,
    baseline: Math.round(median(rounds.map(({ baseline }) => baseline))),
    ratio: round(median(ratios)),
    spread: [round(ratios[0] ?? 0), round(ratios.at(-1) ?? 0)],
  }
}

export function formatResults(results: readonly Result[]): string {
  const rows = results.map(({ name, value, unit, baseline, ratio, spread }) =>
    [
      name.padEnd(16),
      `${value} ${unit}`.padStart(14),
      `${baseline}`.padStart(10),
      String(ratio).padStart(7),
      `${spread[0]} to ${spread[1]}`,
    ].join('  '),
  )
  const head = ['name'.padEnd(16), 'value'.padStart(14), 'baseline'.padStart(10), 'ratio'.padStart(7), 'spread'].join(
    '  ',
  )
  return [head, ...rows].join('\n')
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
