import { type Command, InvalidArgumentError } from 'commander'
import type { AuditReport } from '../admin/audit-report.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import { createOutput, formatTable } from './output.ts'
import type { Terminal } from './terminal.ts'
import { withReader } from './with-operator.ts'

export function addAuditCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(program.command('audit').description('list who changed keys, curves and notes, newest first'))
    .option('--limit <number>', 'how many changes, 1 to 1000', parseLimit, 50)
    .action(async ({ config, json, limit }: CommonOptions & { readonly limit: number }) => {
      const report = await withReader({ path: config, env: terminal.env }, (operator) => operator.showAudit(limit))
      const output = createOutput(terminal, json)
      output.document(report)
      output.text(formatAudit(report))
    })
}

function parseLimit(value: string): number {
  if (/^[1-9]\d{0,3}$/.test(value) && Number(value) <= 1_000) return Number(value)
  throw new InvalidArgumentError('Give a whole number from 1 to 1000.')
}

function formatAudit({ entries }: AuditReport): string {
  if (entries.length === 0) return 'No changes are recorded yet.'
  return formatTable(
    ['TIME', 'BY', 'REMARK', 'ACTION', 'SUBJECT', 'DETAILS'],
    entries.map(({ at, actor, remark, action, subject, details }) => [
      at,
      actor,
      remark ?? '',
      action,
      subject,
      JSON.stringify(details),
    ]),
  )
}
