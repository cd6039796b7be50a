import { type AuditEntryView, type AuditReport, describeAuditEntry } from '@tallystick/core'
import type { Layout } from './terminal/layout.ts'
import { formatItems, type ItemColumns } from './terminal/table.ts'

const columns: ItemColumns<AuditEntryView> = [
  { heading: 'TIME', cell: ({ at }) => at },
  { heading: 'CHANGE', cell: (entry) => describeAuditEntry(entry) },
  { heading: 'REMARK', cell: ({ remark }) => remark ?? '', isOptional: true },
]

/** Formats who changed what, newest first, in sentences. */
export function formatAudit({ entries }: AuditReport, layout: Layout): string {
  if (entries.length === 0) return 'No such changes are recorded.'
  return formatItems(entries, { columns, layout })
}
