import type { KeyView, UsageReport } from '@tallystick/core'
import { Button, Pill, type Tone } from '@tallystick/ui'
import { formatPlace } from '../access/place.ts'
import { formatCount, formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

export const keyTones: Readonly<Record<KeyView['status'], Tone>> = { active: 'good', expired: 'calm', revoked: 'calm' }

type Change = (key: KeyView) => void
type KeysTableProps = {
  readonly keys: readonly KeyView[]
  readonly usage: UsageReport | undefined
  /** Undefined if the token may not change keys. */
  readonly actions: { readonly onEdit: Change; readonly onRotate: Change; readonly onRevoke: Change } | undefined
}

export function KeysTable({ keys, usage, actions }: KeysTableProps) {
  const sorted = keys.toSorted(
    (a, b) => Number(b.status === 'active') - Number(a.status === 'active') || b.createdAt.localeCompare(a.createdAt),
  )
  const columns = [...describeColumns, usageColumn(usage), ...(actions ? [actionsColumn(actions)] : [])]
  return <Table caption="API keys" columns={columns} rows={sorted} keyOf={({ id }) => id} />
}

const describeColumns: readonly Column<KeyView>[] = [
  {
    title: 'Key',
    isHead: true,
    cell: ({ id, name }) => (
      <>
        <a class="block anywhere" href={formatPlace('keys', { path: [id] })}>
          {name}
        </a>{' '}
        <code class="key-id mono muted regular anywhere">{id}</code>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, expiresAt, revokedAt }) => {
      const since = status === 'revoked' ? revokedAt : expiresAt
      const word = status === 'active' ? 'Expires' : status === 'expired' ? 'On' : 'Since'
      return (
        <>
          <Pill tone={keyTones[status]}>{status}</Pill>
          {since ? <span class="sub cell-hint">{`${word} ${formatIso(since)}`}</span> : null}
        </>
      )
    },
  },
  {
    title: 'May use',
    cell: ({ scopes, rpm, quotaPerDay, quotaPerMonth, allow }) => (
      <>
        {scopes.join(', ')}
        <span class="sub cell-hint">{rpm === null ? 'no rate limit' : `${formatCount(rpm)} per minute`}</span>
        {quotaPerDay === null ? null : <span class="sub cell-hint">{`${formatCount(quotaPerDay)} per day`}</span>}
        {quotaPerMonth === null ? null : <span class="sub cell-hint">{`${formatCount(quotaPerMonth)} per month`}</span>}
        {allow === null ? null : <span class="sub cell-hint">{`from ${allow.join(', ')}`}</span>}
      </>
    ),
  },
  { title: 'Created', cell: ({ createdAt }) => formatIso(createdAt) },
  { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? formatIso(lastUsedAt) : 'never') },
]

function usageColumn(usage: UsageReport | undefined): Column<KeyView> {
  const byId = new Map(usage?.keys.map((key) => [key.id, key]))
  return {
    title: 'Requests in 30 days',
    class: 'number',
    cell: ({ id }) => {
      const own = byId.get(id)
      if (!own) return '–'
      return (
        <>
          <span class="usage-total">{formatCount(own.total)}</span>
          {own.total > 0 ? <Sparkline values={own.requests} /> : null}
          <span class="sub cell-hint">{`${formatCount(own.requests.at(-1) ?? 0)} today (UTC)`}</span>
        </>
      )
    },
  }
}

function actionsColumn({ onEdit, onRotate, onRevoke }: NonNullable<KeysTableProps['actions']>): Column<KeyView> {
  return {
    title: 'Actions',
    cell: (key) =>
      key.status === 'active' ? (
        <span class="row-actions flex wrap">
          <Button class="quiet small" label="Edit" suffix={` the key of ${key.name}`} onClick={() => onEdit(key)} />
          <Button class="quiet small" label="Rotate" suffix={` the key of ${key.name}`} onClick={() => onRotate(key)} />
          <Button
            class="quiet small bad"
            label="Revoke"
            suffix={` the key of ${key.name}`}
            onClick={() => onRevoke(key)}
          />
        </span>
      ) : null,
  }
}

const width = 90
const height = 22

/** Renders a row of bars. It is decorative: text next to it must carry the meaning. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  const highest = Math.max(1, ...values)
  const step = width / Math.max(1, values.length)
  return (
    <svg class="sparkline block" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {values.map((value, index) => {
        const bar = value === 0 ? 0.8 : Math.max(1.6, (value / highest) * height)
        return <rect key={index} x={index * step} y={height - bar} width={step * 0.7} height={bar} />
      })}
    </svg>
  )
}
