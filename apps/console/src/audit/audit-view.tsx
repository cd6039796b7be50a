import { type AuditEntryView, type AuditReport, describeAuditEntry } from '@tallystick/core'
import { Button, Select } from '@tallystick/ui'
import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatPlace, type Place } from '../access/place.ts'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { formatIso, formatJson } from '../parts/format.ts'
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
        <span class="regular anywhere">{describeAuditEntry(entry)}.</span>
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
  const { subject } = query
  const clear = () => {
    go({ subject: '' })
    // The button goes away with its filter.
    document.getElementById('audit-by')?.focus()
  }
  return (
    <div class="stack filters-box">
      <div class="filters grid">
        <FilterField {...{ query, go }} name="by" label="By whom" />
        <div class="field">
          <label for="audit-action">What</label>
          <Select
            id="audit-action"
            value={query['action'] ?? ''}
            options={auditKinds}
            onChoose={(action) => go({ action })}
          />
        </div>
        <FilterField {...{ query, go }} name="from" label="From" />
        <FilterField {...{ query, go }} name="to" label="Until" />
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

type FilterFieldProps = {
  readonly name: 'by' | 'from' | 'to'
  readonly label: string
  readonly query: Place['query']
  readonly go: (changed: Place['query']) => void
}

/** Renders a filter that is typed. What is typed stays while the page refreshes, and filters when it is complete. */
function FilterField({ name, label, query, go }: FilterFieldProps) {
  const applied = query[name] ?? ''
  const [typed, setTyped] = useState(applied)
  useEffect(() => setTyped(applied), [applied])
  const common = {
    id: `audit-${name}`,
    value: typed,
    onInput: (event: TargetedEvent<HTMLInputElement>) => setTyped(event.currentTarget.value),
    onChange: (event: TargetedEvent<HTMLInputElement>) => go({ [name]: event.currentTarget.value.trim() }),
  }
  return (
    <div class="field">
      <label for={common.id}>{label}</label>
      {name === 'by' ? (
        <input {...common} maxLength={200} spellcheck={false} autocomplete="off" />
      ) : (
        <input {...common} type="date" />
      )}
    </div>
  )
}
