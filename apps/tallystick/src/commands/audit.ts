import type { AuditFilter } from '@tallystick/core'
import type { Command } from 'commander'
import { showReport } from './operator/with-operator.ts'
import { addCommonOptions, type CommonOptions, parseInstant, wholeNumber } from './options.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addAuditCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(
    program.command('audit'),
    'audit',
    'audit --by ann --action key --since 2026-11-01',
    'audit --limit 500 --json',
  )
    .description('list who changed keys, curves and notes, newest first')
    .option('--limit <number>', 'how many changes, 1 to 1000', wholeNumber(1, 1_000), 50)
    .option('--by <text>', 'only changes whose author or remark contains this')
    .option('--action <kind>', 'only changes of this kind, such as key, hook or curve.set')
    .option('--subject <id>', 'only changes of this object, such as the id of a key')
    .option('--since <instant>', 'only changes from this day (UTC) or instant on', parseInstant)
    .option('--until <instant>', 'only changes before this day (UTC) or instant', parseInstant)
    .action(async (options: AuditOptions) => {
      const { formatAudit } = await import('./format-audit.ts')
      const { limit, by, action, subject, since, until } = options
      const filter = { by, action, subject, since, until }
      await showReport(terminal, {
        options,
        read: (operator) => operator.showAudit(limit, filter),
        format: formatAudit,
      })
    })
}

type AuditOptions = CommonOptions & AuditFilter & { readonly limit: number }
