import { systemTime } from '@tallystick/base'
import { countOf } from '@tallystick/base/pure'
import type { Severity } from '@tallystick/core'
import type { Command } from 'commander'
import type { NamedFinding } from '../doctor/findings.ts'
import { addCommonOptions, type CommonOptions, parseList } from './options.ts'
import { wrapText } from './terminal/display-width.ts'
import type { Layout, Style } from './terminal/layout.ts'
import { createOutput, exitCodes } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

const codeOf = { healthy: exitCodes.done, failed: exitCodes.failed, misconfigured: exitCodes.config } as const

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(program.command('doctor'), 'doctor', 'doctor --host api.example,notes.example')
    .description('check configuration, database, clock, certificate, signer, chains and subgraphs; changes nothing')
    .option(
      '--host <names>',
      'host names that clients use, comma separated, to check against the certificate',
      parseList,
      [],
    )
    .action(async (options: CommonOptions & { readonly host: string[] }) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      const output = createOutput(terminal, options)
      const { verdict, findings } = await runDoctor({
        configPath: options.config,
        env: terminal.env,
        hosts: options.host,
        clock: systemTime,
        report: (some) => {
          if (some.length > 0) output.text(formatFindings(some, output.layout))
        },
      })
      output.document({ ok: verdict === 'healthy', findings })
      output.text(`\n${summarise(findings)}`)
      terminal.exitCode = codeOf[verdict]
    })
}

const marks: Readonly<Record<Severity, string>> = {
  ok: '✓ ok  ',
  warn: '! WARN',
  fail: '✗ FAIL',
  skipped: '- skip',
  unready: '✗ FAIL',
}

const subjectWidth = 14
const nameWidth = 20

// Narrower text is hard to read: it begins below the name of the check instead.
const foundWidthMin = 30

/** Formats each finding as a line, followed by its remedy. On a terminal, long texts are broken in their column. */
function formatFindings(findings: readonly NamedFinding[], layout: Layout): string {
  return findings.flatMap((finding) => formatFinding(finding, layout)).join('\n')
}

function formatFinding(
  { subject, name, severity, message, remedy }: NamedFinding,
  { columns, style }: Layout,
): string[] {
  const rest = `  ${subject.padEnd(subjectWidth)}  ${name.padEnd(nameWidth)}  `
  const mark = paintOf(severity, style)(marks[severity])
  const headWidth = marks[severity].length + rest.length
  const isBelow = columns !== undefined && columns - headWidth < foundWidthMin
  const indent = ' '.repeat(isBelow ? marks[severity].length + 2 : headWidth)
  const wrap = (text: string) =>
    columns === undefined ? [text] : wrapText(text, Math.max(columns - indent.length, foundWidthMin / 2))
  const lines = wrap(message)
  const [first = '', ...others] = isBelow ? ['', ...lines] : lines
  return [
    `${mark}${rest}${first}`.trimEnd(),
    ...others.map((line) => indent + line),
    ...(remedy ? wrap(`→ ${remedy}`).map((line) => indent + style.bold(line)) : []),
  ]
}

function paintOf(severity: Severity, style: Style) {
  return { ok: style.green, warn: style.yellow, fail: style.red, unready: style.red, skipped: style.dim }[severity]
}

/** Returns the number of findings by severity. */
function summarise(findings: readonly NamedFinding[]): string {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  const failures = count('fail')
  const parts = [`${count('ok')} ok`, countOf(count('warn'), 'warning'), `${count('skipped')} skipped`]
  return `${failures === 0 ? 'No failures' : `${failures} failed`}: ${parts.join(', ')}.`
}
