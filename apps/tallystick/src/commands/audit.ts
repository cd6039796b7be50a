import type { AuditReport } from '@tallystick/core'
import type { Command } from 'commander'
import { withReader } from './operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, wholeNumber } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { print } from './terminal/output.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addAuditCommand(program: Command, terminal: Terminal): void {
  const audit = addCommonOptions(
    program.command('audit').description('list who changed keys, curves and notes, newest first'),
  )
    .option('--limit <number>', 'how many changes, 1 to 1000', wholeNumber(1, 1_000), 50)
    .action(async ({ limit, ...options }: CommonOptions & { readonly limit: number }) => {
      const report = await withReader({ terminal, options }, (operator) => operator.showAudit(limit))
      print({ terminal, options }, { document: report, text: (layout) => formatAudit(report, layout) })
    })
  addExamples(audit, 'audit', 'audit --limit 500 --json')
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
