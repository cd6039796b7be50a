import type { KeyReport, QuotaUse } from '@tallystick/core'
import type { Command } from 'commander'
import { showReport } from '../operator/with-operator.ts'
import { addCommonOptions, type CommonOptions } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { formatItems, type ItemColumns } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { describeLimits } from './limits.ts'

export function addShowCommand(keys: Command, terminal: Terminal): void {
  addCommonOptions(keys.command('show <id>'), 'keys show key_4fH2kQ9xL0aB', 'keys show key_4fH2kQ9xL0aB --json')
    .description('show a key and its requests of the last 48 hours')
    .action((id: string, options: CommonOptions) =>
      showReport(terminal, { options, read: (operator) => operator.showKey(id), format: formatKey }),
    )
}

type Hour = { readonly at: string; readonly notes: number; readonly data: number; readonly rate: number }

const columns: ItemColumns<Hour> = [
  { heading: 'HOUR (UTC)', cell: ({ at }) => at },
  { heading: 'NOTES', cell: ({ notes }) => String(notes) },
  { heading: 'DATA', cell: ({ data }) => String(data) },
  { heading: 'RATE', cell: ({ rate }) => String(rate) },
]

function formatKey({ key, hours, byScope, quotas }: KeyReport, layout: Layout): string {
  const { notes, data, rate } = byScope
  const used = hours
    .map((at, index) => ({ at, notes: notes[index] ?? 0, data: data[index] ?? 0, rate: rate[index] ?? 0 }))
    .filter((hour) => hour.notes + hour.data + hour.rate > 0)
  return [
    `Key ${key.id} ("${key.name}") is ${key.status}: scopes ${key.scopes.join(', ')}; ${describeLimits(key)}.`,
    `Created ${key.createdAt}, expires ${key.expiresAt ?? 'never'}, last used ${key.lastUsedAt ?? 'never'}.`,
    ...formatQuota('today', quotas.day),
    ...formatQuota('this month', quotas.month),
    '',
    used.length === 0 ? `No requests in the last ${hours.length} hours.` : formatItems(used, { columns, layout }),
  ].join('\n')
}

function formatQuota(period: string, quota: QuotaUse | null): readonly string[] {
  return quota === null ? [] : [`${quota.used} of ${quota.allowed} requests used ${period} (UTC).`]
}
