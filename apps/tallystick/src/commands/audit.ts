import type { AuditReport } from '@tallystick/core'
import { type Command, InvalidArgumentError } from 'commander'
import { addExamples } from './examples.ts'
import { withReader } from './operator/with-operator.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { createOutput } from './terminal/output.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addAuditCommand(program: Command, terminal: Terminal): void {
  const audit = addCommonOptions(
    program.command('audit').description('list who changed keys, curves and notes, newest first'),
  )
    .option('--limit <number>', 'how many changes, 1 to 1000', parseLimit, 50)
    .action(async ({ limit, ...options }: CommonOptions & { readonly limit: number }) => {
      const source = { path: options.config, env: terminal.env }
      const report = await withReader(source, (operator) => operator.showAudit(limit))
      const output = createOutput(terminal, options)
      output.document(report)
      output.text(formatAudit(report, output.layout))
    })
  addExamples(audit, 'audit', 'audit --limit 500 --json')
}

function parseLimit(value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= 1_000) return Number(value)
  throw new InvalidArgumentError('Give a whole number from 1 to 1000.')
}

function formatAudit({ entries }: AuditReport, layout: Layout): string {
  if (entries.length === 0) return 'No changes are recorded yet.'
  return formatTable(
    ['TIME', 'BY', { heading: 'REMARK', isOptional: true }, 'ACTION', 'SUBJECT', 'DETAILS'],
    entries.map(({ at, actor, remark, action, subject, details }) => [
      at,
      actor,
      remark ?? '',
      action,
      subject,
      JSON.stringify(details),
    ]),
    layout,
  )
}
