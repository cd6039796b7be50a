import type { Result } from './result.ts'

/** A ratio that is worse than every round of the runs before, or that this run no longer measures (`after` is null). */
export type Fall = {
  readonly name: string
  /** Ratio of the run before. */
  readonly before: number
  /** The lowest and the highest ratio of all rounds of the runs before. */
  readonly spread: readonly [number, number]
  readonly after: number | null
}

/**
 * Compares the ratios of a run with those of earlier runs, the newest last. A ratio without a spread, which is of one round,
 * is not compared. One earlier run is not enough: the median of three rounds is below three equal ones in one of five cases.
 */
export function findFalls(earlier: readonly (readonly Result[])[], after: readonly Result[]): readonly Fall[] {
  const ratios = new Map(after.map(({ name, ratio }) => [name, ratio]))
  return (earlier.at(-1) ?? []).flatMap((result) => {
    const { name, ratio } = result
    if (ratio === null || !result.spread) return []
    const rounds = earlier.flat().flatMap((other) => (other.name === name ? (other.spread ?? []) : []))
    const spread = [Math.min(...rounds), Math.max(...rounds)] as const
    const now = ratios.get(name) ?? null
    const isWorse = now !== null && (isHigherBetter(result) ? now < spread[0] : now > spread[1])
    return now === null || isWorse ? [{ name, before: ratio, spread, after: now }] : []
  })
}

/** Formats falls as a Markdown table. Without falls the text is empty. */
export function formatFalls(falls: readonly Fall[]): string {
  if (falls.length === 0) return ''
  const format = (ratio: number) => ratio.toPrecision(3)
  const rows = falls.map(({ name, before, spread: [lowest, highest], after }) => {
    const now = after === null ? 'not measured' : format(after)
    return `| \`${name}\` | ${format(before)} | ${format(lowest)} to ${format(highest)} | ${now} |`
  })
  return ['| name | before | spread before | now |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function isHigherBetter({ target, unit }: Result): boolean {
  return target ? 'atLeast' in target || 'valueAtLeast' in target : unit.endsWith('/s')
}
