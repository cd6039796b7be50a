import { stepNames, type Trial } from './try-version.ts'

/** Returns a table with one row per version. */
export function renderTrials(trials: readonly Trial[]): string {
  const head = ['Node', 'npm ci', 'build', 'tests', 'sandbox ready', 'result']
  const rows = trials.map(({ version, steps, failures }) => [
    version,
    ...stepNames.map((name) => {
      const step = steps[name]
      if (!step) return '-'
      if (step.failure) return 'failed'
      return `${step.seconds.toFixed(1)} s${name === 'tests' ? countOf(step.output) : ''}`
    }),
    failures.length === 0 ? 'ok' : 'FAILED',
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Reads vitest's summary: `Tests  12 passed | 1 skipped (13)`. */
function countOf(output: string): string {
  const [, count] = /^\s*Tests\s+(.+?)(?: \(\d+\))?$/m.exec(output) ?? []
  return count === undefined ? '' : `, ${count}`
}
