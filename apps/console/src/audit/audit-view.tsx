import type { AuditEntryView, AuditReport } from '@tallystick/core'
import { Select } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

const intervalMs = 15_000
const limits = [50, 200, 1_000]

const columns: readonly Column<AuditEntryView>[] = [
  { title: 'Time', cell: ({ at }) => <time dateTime={at}>{formatIso(at)}</time> },
  {
    title: 'By',
    cell: ({ actor, remark }) => (
      <>
        {actor}
        {remark ? <span class="sub cell-hint">{remark}</span> : null}
      </>
    ),
  },
  { title: 'Change', isHead: true, cell: ({ action }) => action },
  { title: 'Of', cell: ({ subject }) => <span class="mono">{subject}</span> },
  { title: 'Details', cell: ({ details }) => <span class="mono anywhere">{formatDetails(details)}</span> },
]

/** Renders who changed what, newest first. */
export function AuditView({ api }: { readonly api: AdminApi }) {
  const [limit, setLimit] = useState(50)
  const data = useData<AuditReport>(api, `/audit?limit=${limit}`, intervalMs)
  return (
    <div class="stack">
      <div class="field inline-field">
        <label for="audit-limit">Show the last</label>
        <Select
          id="audit-limit"
          value={limit}
          options={limits.map((count) => [count, `${count} changes`])}
          onChoose={(count) => setLimit(Number(count))}
        />
      </div>
      <DataState data={data}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p class="muted">No changes are recorded yet.</p>
          ) : (
            <section class="card" aria-label="Changes">
              <Table caption="Changes, newest first" columns={columns} rows={entries} keyOf={({ id }) => id} />
            </section>
          )
        }
      </DataState>
    </div>
  )
}

/** Formats the members of a change as `name=value`. */
function formatDetails(details: AuditEntryView['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
