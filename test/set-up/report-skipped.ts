import type { Reporter, TestCase } from 'vitest/node'

type Skipped = Pick<TestCase, 'fullName' | 'result' | 'tags'>

type SkippedOptions = {
  /** Why the tests with the tags `postgres` and `server` are skipped, if they are. */
  readonly missingPostgres?: string | undefined
}

/** Formats why tests were skipped, a line per reason. Tests without a reason, such as those that `-t` excludes, are not listed. */
export function formatSkipped(tests: Iterable<Skipped>, { missingPostgres }: SkippedOptions = {}): string[] {
  const namesOf = new Map<string, string[]>()
  let slowCount = 0
  for (const test of tests) {
    const result = test.result()
    if (result.state !== 'skipped') continue
    const reason =
      result.note || (test.tags.some((tag) => tag === 'postgres' || tag === 'server') ? missingPostgres : undefined)
    if (reason) namesOf.set(reason, [...(namesOf.get(reason) ?? []), test.fullName])
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
export function createSkippedReporter(options: SkippedOptions): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
      for (const line of formatSkipped(skipped, options)) process.stdout.write(`${line}\n`)
    },
  }
}
