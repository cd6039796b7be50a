import type { CurveView } from '@tallystick/core'
import { formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

type CurveHistoryProps = {
  readonly history: readonly CurveView[]
  readonly nameOf: (chainId: number | null) => string
}

export function CurveHistory({ history, nameOf }: CurveHistoryProps) {
  const columns: readonly Column<CurveView>[] = [
    { title: 'Curve', isHead: true, cell: ({ id }) => id },
    { title: 'In force from', cell: ({ effectiveFrom }) => formatIso(effectiveFrom) },
    { title: 'For', cell: ({ chainId }) => nameOf(chainId) },
    {
      title: 'Coupons (days=bps)',
      cell: ({ points }) => <span class="mono">{formatPoints(points)}</span>,
    },
    { title: 'Source', cell: ({ source, confirmed }) => (confirmed ? `${source}, confirmed` : source) },
    { title: 'Set by', cell: ({ createdBy, createdAt }) => `${createdBy}, ${formatIso(createdAt)}` },
  ]
  if (history.length === 0) return null
  return (
    <details class="card">
      <summary>The last {history.length} curves</summary>
      <Table caption="The last 20 curves, newest first" columns={columns} rows={history} keyOf={({ id }) => id} />
    </details>
  )
}

export function formatPoints(points: CurveView['points']): string {
  return Object.entries(points)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([tenor, bps]) => `${tenor}=${bps}`)
    .join(' ')
}
