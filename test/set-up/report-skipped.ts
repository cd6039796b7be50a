import type { Reporter, TestCase } from 'vitest/node'

type Skipped = Pick<TestCase, 'fullName' | 'result' | 'tags'>

/** Formats why tests were skipped, a line per reason. Tests without a reason, such as those that `-t` excludes, are not listed. */
export function formatSkipped(tests: Iterable<Skipped>): string[] {
  const namesOf = new Map<string, string[]>()
  let slowCount = 0
  for (const test of tests) {
    const result = test.result()
    if (result.state !== 'skipped') continue
    if (result.note) namesOf.set(result.note, [...(namesOf.get(result.note) ?? []), test.fullName])
    else if (test.tags.includes('slow')) slowCount += 1
  }
  const slow = slowCount > 0 ? [`Skipped: ${slowCount} slow tests. \`npm run test:all\` runs them.`] : []
  const reasons = [...namesOf].map(([reason, [first, ...more]]) => {
    const count = more.length > 0 ? ` and ${more.length} more` : ''
    return `Skipped: ${first}${count}. Reason: ${reason}`
  })
  return [...reasons, ...slow]
}

/** Prints the reasons at the end of a run. The default reporter does not. */
export const skippedReporter: Reporter = {
  onTestRunEnd: (modules) => {
    const lines = formatSkipped(modules.flatMap((module) => [...module.children.allTests('skipped')]))
    for (const line of lines) process.stdout.write(`${line}\n`)
  },
}
