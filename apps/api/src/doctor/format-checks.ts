import type { Check, CheckOutcome } from './findings.ts'

const marks: Readonly<Record<CheckOutcome, string>> = {
  ok: '✓ ok  ',
  warn: '! WARN',
  fail: '✗ FAIL',
  skipped: '- skip',
}

const subjectWidth = 14
const nameWidth = 20

/** Formats each check as a line, followed by its advice. */
export function formatChecks(checks: readonly Check[]): string {
  return checks
    .flatMap(({ subject, name, outcome, found, advice }) => {
      const head = `${marks[outcome]}  ${subject.padEnd(subjectWidth)}  ${name.padEnd(nameWidth)}  `
      return [`${head}${found}`, ...(advice ? [`${' '.repeat(head.length)}→ ${advice}`] : [])]
    })
    .join('\n')
}

/** Returns the number of checks by outcome. */
export function summarise(checks: readonly Check[]): string {
  const count = (outcome: CheckOutcome) => checks.filter((check) => check.outcome === outcome).length
  const failures = count('fail')
  const parts = [`${count('ok')} ok`, `${count('warn')} warnings`, `${count('skipped')} skipped`]
  return `${failures === 0 ? 'No failures' : `${failures} failed`}: ${parts.join(', ')}.`
}
