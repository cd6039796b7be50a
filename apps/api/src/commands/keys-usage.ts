import type { UsageReport } from '@tallystick/core/admin/usage-report'
import { type Command, InvalidArgumentError } from 'commander'
import { usageDaysMax } from '../keys/key-usage-store.ts'
import { addExamples } from './examples.ts'
import type { Layout } from './layout.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import { createOutput } from './output.ts'
import { formatTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { withReader } from './with-operator.ts'

export function addUsageCommand(keys: Command, terminal: Terminal): void {
  const usage = addCommonOptions(keys.command('usage').description('show the requests of each key on all replicas'))
    .option('--days <number>', 'how many UTC days, 1 to 90', parseDays, 30)
    .action(async ({ days, ...options }: CommonOptions & { readonly days: number }) => {
      const source = { path: options.config, env: terminal.env }
      const report = await withReader(source, (operator) => operator.showUsage(days))
      const output = createOutput(terminal, options)
      output.document(report)
      output.text(formatUsage(report, output.layout))
    })
  addExamples(usage, 'keys usage', 'keys usage --days 7 --json')
}

function parseDays(value: string): number {
  if (/^[1-9]\d?$/.test(value) && Number(value) <= usageDaysMax) return Number(value)
  throw new InvalidArgumentError(`Give a whole number from 1 to ${usageDaysMax}.`)
}

function formatUsage({ days, keys }: UsageReport, layout: Layout): string {
  const rows = keys.map(({ id, name, requests, total, byScope, lastUsedAt }) => [
    id,
    name,
    ...[requests.at(-1) ?? 0, total, byScope.notes, byScope.data, byScope.rate].map(String),
    // Stored once a minute, later than the requests.
    lastUsedAt ?? (total > 0 ? 'in the last minute' : 'never'),
  ])
  const headings = ['ID', 'NAME', 'TODAY', 'TOTAL', 'NOTES', 'DATA', 'RATE', 'LAST USED']
  return `Requests since ${days[0]} (UTC)\n${formatTable(headings, rows, layout)}`
}
