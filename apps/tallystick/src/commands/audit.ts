import type { AuditEntryView, AuditReport } from '@tallystick/core'
import type { Command } from 'commander'
import { showReport } from './operator/with-operator.ts'
import { addCommonOptions, type CommonOptions, wholeNumber } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { formatItems, type ItemColumns } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addAuditCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(program.command('audit'), 'audit', 'audit --limit 500 --json')
    .description('list who changed keys, curves and notes, newest first')
    .option('--limit <number>', 'how many changes, 1 to 1000', wholeNumber(1, 1_000), 50)
    .action((options: CommonOptions & { readonly limit: number }) =>
      showReport(terminal, { options, read: (operator) => operator.showAudit(options.limit), format: formatAudit }),
    )
}

const columns: ItemColumns<AuditEntryView> = [
  { heading: 'TIME', cell: ({ at }) => at },
  { heading: 'BY', cell: ({ actor }) => actor },
  { heading: 'REMARK', cell: ({ remark }) => remark ?? '', isOptional: true },
  { heading: 'ACTION', cell: ({ action }) => action },
  { heading: 'SUBJECT', cell: ({ subject }) => subject },
  { heading: 'DETAILS', cell: ({ details }) => JSON.stringify(details) },
]

function formatAudit({ entries }: AuditReport, layout: Layout): string {
  if (entries.length === 0) return 'No changes are recorded yet.'
  return formatItems(entries, { columns, layout })
}
