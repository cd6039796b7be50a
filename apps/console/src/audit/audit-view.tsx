import { type AuditEntryView, type AuditReport, describeAuditEntry } from '@tallystick/core'
import { Button, Select } from '@tallystick/ui'
import { formatPlace, type Place } from '../access/place.ts'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { capitalize, formatIso, formatJson } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'
import { auditKinds, readFilter } from './audit-filter.ts'

const intervalMs = 15_000
const limits = ['50', '200', '1000']

const columns: readonly Column<AuditEntryView>[] = [
  { title: 'Time', cell: ({ at }) => <time dateTime={at}>{formatIso(at)}</time> },
  {
    title: 'What happened',
    isHead: true,
    cell: (entry) => (
      <>
        <span class="regular anywhere">{capitalize(describeAuditEntry(entry))}.</span>
        <details class="regular">
          <summary class="hint">Details</summary>
          <pre class="code-box mono">{formatJson(JSON.stringify(entry))}</pre>
        </details>
      </>
    ),
  },
  { title: 'Remark', cell: ({ remark }) => (remark ? <span class="muted anywhere">{remark}</span> : null) },
]

type AuditViewProps = { readonly api: AdminApi; readonly query: Place['query'] }

/** Renders who changed what, newest first. The filters are in the URL. */
export function AuditView({ api, query }: AuditViewProps) {
  const limit = limits.find((known) => known === query['limit']) ?? '50'
  const search = new URLSearchParams({ ...readFilter(query), limit })
  const data = useData<AuditReport>(api, `/audit?${search}`, intervalMs)
  return (
    <div class="stack">
      <Filters query={query} limit={limit} />
      <DataState data={data}>
        {({ entries }) =>
          entries.length === 0 ? (
            <p class="muted">No such changes are recorded.</p>
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

function Filters({ query, limit }: { readonly query: Place['query']; readonly limit: string }) {
  const go = (changed: Place['query']) => location.replace(formatPlace('audit', { query: { ...query, ...changed } }))
  const day = (name: 'from' | 'to', label: string) => (
    <div class="field">
      <label for={`audit-${name}`}>{label}</label>
      <input
        id={`audit-${name}`}
        type="date"
        value={query[name] ?? ''}
        onChange={(event) => go({ [name]: event.currentTarget.value })}
      />
    </div>
  )
  const { subject } = query
  const clear = () => {
    go({ subject: '' })
    // The button goes away with its filter.
    document.getElementById('audit-by')?.focus()
  }
  return (
    <div class="stack filters-box">
      <div class="filters grid">
        <div class="field">
          <label for="audit-by">By whom</label>
          <input
            id="audit-by"
            maxLength={200}
            spellcheck={false}
            autocomplete="off"
            value={query['by'] ?? ''}
            onChange={(event) => go({ by: event.currentTarget.value.trim() })}
          />
        </div>
        <div class="field">
          <label for="audit-action">What</label>
          <Select
            id="audit-action"
            value={query['action'] ?? ''}
            options={auditKinds}
            onChoose={(action) => go({ action })}
          />
        </div>
        {day('from', 'From')}
        {day('to', 'Until')}
        <div class="field">
          <label for="audit-limit">Show the last</label>
          <Select
            id="audit-limit"
            value={limit}
            options={limits.map((count) => [count, `${count} changes`])}
            onChoose={(chosen) => go({ limit: chosen })}
          />
        </div>
      </div>
      <p class="row">
        {subject ? <Button class="chip" label={`Only of ${subject} ✕`} suffix=", show all" onClick={clear} /> : null}
        <a href={formatPlace('audit', { path: ['sign-ins'] })}>Failed sign-ins</a>
      </p>
    </div>
  )
}
