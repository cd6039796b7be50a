import type { Result } from './result.ts'

/** A ratio that is worse than every round of the run before, or that this run no longer measures (`after` is null). */
export type Fall = {
  readonly name: string
  readonly before: number
  /** The lowest and the highest ratio of the rounds before. */
  readonly spread: readonly [number, number]
  readonly after: number | null
}

/** Compares the ratios of two runs. A ratio without a spread, which is of one round, is not compared. */
export function findFalls(before: readonly Result[], after: readonly Result[]): readonly Fall[] {
  const ratios = new Map(after.map(({ name, ratio }) => [name, ratio]))
  return before.flatMap((result) => {
    const { name, ratio, spread } = result
    if (ratio === null || !spread) return []
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
