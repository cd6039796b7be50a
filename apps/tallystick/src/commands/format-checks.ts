import type { Check, CheckOutcome } from '@tallystick/service'
import { wrapText } from './terminal/display-width.ts'
import { type Layout, plainLayout, type Style } from './terminal/layout.ts'

const marks: Readonly<Record<CheckOutcome, string>> = {
  ok: '✓ ok  ',
  warn: '! WARN',
  fail: '✗ FAIL',
  skipped: '- skip',
}

const subjectWidth = 14
const nameWidth = 20

// Narrower text is hard to read: it begins below the name of the check instead.
const foundWidthMin = 30

/** Formats each check as a line, followed by its advice. On a terminal, long texts are broken in their column. */
export function formatChecks(checks: readonly Check[], layout: Layout = plainLayout): string {
  return checks.flatMap((check) => formatCheck(check, layout)).join('\n')
}

function formatCheck({ subject, name, outcome, found, advice }: Check, { columns, style }: Layout): string[] {
  const rest = `  ${subject.padEnd(subjectWidth)}  ${name.padEnd(nameWidth)}  `
  const mark = paintOf(outcome, style)(marks[outcome])
  const headWidth = marks[outcome].length + rest.length
  const isBelow = columns !== undefined && columns - headWidth < foundWidthMin
  const indent = ' '.repeat(isBelow ? marks[outcome].length + 2 : headWidth)
  const wrap = (text: string) =>
    columns === undefined ? [text] : wrapText(text, Math.max(columns - indent.length, foundWidthMin / 2))
  const lines = wrap(found)
  const [first = '', ...others] = isBelow ? ['', ...lines] : lines
  return [
    `${mark}${rest}${first}`.trimEnd(),
    ...others.map((line) => indent + line),
    ...(advice ? wrap(`→ ${advice}`).map((line) => indent + style.bold(line)) : []),
  ]
}

function paintOf(outcome: CheckOutcome, style: Style) {
  return { ok: style.green, warn: style.yellow, fail: style.red, skipped: style.dim }[outcome]
}

/** Returns the number of checks by outcome. */
export function summarise(checks: readonly Check[]): string {
  const count = (outcome: CheckOutcome) => checks.filter((check) => check.outcome === outcome).length
  const failures = count('fail')
  const parts = [`${count('ok')} ok`, `${count('warn')} warnings`, `${count('skipped')} skipped`]
  return `${failures === 0 ? 'No failures' : `${failures} failed`}: ${parts.join(', ')}.`
}
