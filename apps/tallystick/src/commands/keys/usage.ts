import type { QuotaUse, UsageReport } from '@tallystick/core'
import { usageDaysMax } from '@tallystick/keys'
import { type Command, Option } from 'commander'
import { withReader } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, wholeNumber } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { print } from '../terminal/output.ts'
import { formatTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function addUsageCommand(keys: Command, terminal: Terminal): void {
  const usage = addCommonOptions(keys.command('usage').description('show the requests of each key on all replicas'))
    .option('--days <number>', 'how many UTC days, 1 to 90', wholeNumber(1, usageDaysMax), 30)
    .addOption(new Option('--csv', 'print CSV, a row per key and day').conflicts('json'))
    .action(async ({ days, csv, ...options }: CommonOptions & { readonly days: number; readonly csv?: boolean }) => {
      const report = await withReader({ terminal, options }, (operator) => operator.showUsage(days))
      print(
        { terminal, options },
        { document: report, text: (layout) => (csv ? formatUsageCsv(report) : formatUsage(report, layout)) },
      )
    })
  addExamples(usage, 'keys usage', 'keys usage --days 7 --json', 'keys usage --days 90 --csv')
}

function formatUsage({ days, keys }: UsageReport, layout: Layout): string {
  const hasQuotas = keys.some(({ quotas }) => quotas.day !== null || quotas.month !== null)
  const rows = keys.map(({ id, name, requests, total, byScope, lastUsedAt, quotas }) => [
    id,
    name,
    ...[requests.at(-1) ?? 0, total, byScope.notes, byScope.data, byScope.rate].map(String),
    // Stored once a minute, later than the requests.
    lastUsedAt ?? (total > 0 ? 'in the last minute' : 'never'),
    ...(hasQuotas ? [formatQuota(quotas.day), formatQuota(quotas.month)] : []),
  ])
  const headings = [
    'ID',
    'NAME',
    'TODAY',
    'TOTAL',
    'NOTES',
    'DATA',
    'RATE',
    'LAST USED',
    ...(hasQuotas ? ['QUOTA TODAY', 'QUOTA MONTH'] : []),
  ]
  return `Requests since ${days[0]} (UTC)\n${formatTable(headings, rows, layout)}`
}

function formatQuota(quota: QuotaUse | null): string {
  return quota === null ? 'none' : `${quota.used} of ${quota.allowed}`
}

/** Formats a row per key and day (RFC 4180), keys in the order of the report. */
function formatUsageCsv({ days, keys }: UsageReport): string {
  const rows = keys.flatMap(({ id, name, requests }) =>
    days.map((day, index) => [day, id, quoteCsv(name), String(requests[index] ?? 0)].join(',')),
  )
  return ['day,key,name,requests', ...rows].join('\r\n')
}

/** Quotes a text. An apostrophe before `=`, `+`, `-` and `@` stops spreadsheets from running the text as a formula. */
function quoteCsv(text: string): string {
  return `"${text.replace(/^(?=[=+\-@])/, "'").replaceAll('"', '""')}"`
}
