import type { QuotaUse, UsageReport } from '@tallystick/core'
import { usageDaysMax } from '@tallystick/keys'
import { type Command, Option } from 'commander'
import { showReport } from '../operator/with-operator.ts'
import { addCommonOptions, type CommonOptions, wholeNumber } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { formatItems, type ItemColumns } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

type UsageOptions = CommonOptions & { readonly days: number; readonly csv?: boolean }

export function addUsageCommand(keys: Command, terminal: Terminal): void {
  addCommonOptions(keys.command('usage'), 'keys usage', 'keys usage --days 7 --json', 'keys usage --days 90 --csv')
    .description('show the requests of each key on all replicas')
    .option('--days <number>', 'how many UTC days, 1 to 90', wholeNumber(1, usageDaysMax), 30)
    .addOption(new Option('--csv', 'print CSV, a row per key and day').conflicts('json'))
    .action((options: UsageOptions) =>
      showReport(terminal, {
        options,
        read: (operator) => operator.showUsage(options.days),
        format: options.csv ? formatUsageCsv : formatUsage,
      }),
    )
}

type KeyUse = UsageReport['keys'][number]

const columns: ItemColumns<KeyUse> = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'TODAY', cell: ({ requests }) => String(requests.at(-1) ?? 0) },
  { heading: 'TOTAL', cell: ({ total }) => String(total) },
  { heading: 'NOTES', cell: ({ byScope }) => String(byScope.notes) },
  { heading: 'DATA', cell: ({ byScope }) => String(byScope.data) },
  { heading: 'RATE', cell: ({ byScope }) => String(byScope.rate) },
  // Stored once a minute, later than the requests.
  {
    heading: 'LAST USED',
    cell: ({ lastUsedAt, total }) => lastUsedAt ?? (total > 0 ? 'in the last minute' : 'never'),
  },
]

const quotaColumns: ItemColumns<KeyUse> = [
  { heading: 'QUOTA TODAY', cell: ({ quotas }) => formatQuota(quotas.day) },
  { heading: 'QUOTA MONTH', cell: ({ quotas }) => formatQuota(quotas.month) },
]

function formatUsage({ days, keys }: UsageReport, layout: Layout): string {
  const hasQuotas = keys.some(({ quotas }) => quotas.day !== null || quotas.month !== null)
  const shown = hasQuotas ? [...columns, ...quotaColumns] : columns
  return `Requests since ${days[0]} (UTC)\n${formatItems(keys, { columns: shown, layout })}`
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
