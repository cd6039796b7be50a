import type { AuditEntryView, AuditReport } from '@tallystick/core'
import { formatPlace } from '../access/place.ts'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { formatCount, formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

// Each look stores what this replica has counted.
const intervalMs = 60_000
const daySeconds = 86_400

const columns: readonly Column<AuditEntryView>[] = [
  { title: 'In the minute before', cell: ({ at }) => <time dateTime={at}>{formatIso(at)}</time> },
  { title: 'Address', isHead: true, cell: ({ subject }) => <span class="mono anywhere">{subject}</span> },
  { title: 'Wrong tokens', class: 'number', cell: (entry) => formatCount(failuresOf(entry)) },
]

/** Renders the requests with an admin token that does not exist, of all replicas. */
export function SignInsPage({ api }: { readonly api: AdminApi }) {
  const data = useData<AuditReport>(api, '/audit?action=admin.token&limit=200', intervalMs)
  return (
    <div class="stack">
      <a class="back" href={formatPlace('audit')}>
        All changes
      </a>
      <p class="soft sign-ins-text">
        Requests to the admin listener with a token that is not in the configuration, counted for each address and
        minute on every replica. Neither the token nor a name is known: a token that was removed from the configuration
        looks like any wrong one. From the sixth failure of an address on, each response takes a second.
      </p>
      <DataState data={data}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p class="muted">No failed sign-ins are recorded.</p>
          ) : (
            <section class="card" aria-labelledby="sign-ins-heading">
              <h2 id="sign-ins-heading">{summarize(entries, data.atMs)}</h2>
              <Table caption="Failed sign-ins, newest first" columns={columns} rows={entries} keyOf={({ id }) => id} />
            </section>
          )
        }
      </DataState>
    </div>
  )
}

function summarize(entries: readonly AuditEntryView[], nowMs: number): string {
  const recent = entries.filter(({ at }) => Date.parse(at) > nowMs - daySeconds * 1000)
  const failures = recent.reduce((sum, entry) => sum + failuresOf(entry), 0)
  const addresses = new Set(recent.map(({ subject }) => subject)).size
  if (failures === 0) return 'None in the last 24 hours'
  return `${formatCount(failures)} in the last 24 hours, from ${addresses === 1 ? '1 address' : `${addresses} addresses`}`
}

function failuresOf({ details }: AuditEntryView): number {
  const { failures } = details
  return typeof failures === 'number' ? failures : 1
}
