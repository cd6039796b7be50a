import type { Reporter, TestCase } from 'vitest/node'

type Skipped = Pick<TestCase, 'fullName' | 'result'>

/** Formats why tests were skipped, a line per reason. Tests without a reason, such as those that `-t` excludes, are not listed. */
export function formatSkipped(tests: Iterable<Skipped>): string[] {
  const namesOf = new Map<string, string[]>()
  for (const test of tests) {
    const result = test.result()
    if (result.state !== 'skipped' || !result.note) continue
    namesOf.set(result.note, [...(namesOf.get(result.note) ?? []), test.fullName])
  }
  return [...namesOf].map(([reason, [first, ...others]]) => {
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return `Skipped: ${first}${more}. Reason: ${reason}`
  })
}

/** Prints the reasons at the end of a run. The default reporter does not. */
export const skippedReporter: Reporter = {
  onTestRunEnd: (modules) => {
    const lines = formatSkipped(modules.flatMap((module) => [...module.children.allTests('skipped')]))
    for (const line of lines) process.stdout.write(`${line}\n`)
  },
}
