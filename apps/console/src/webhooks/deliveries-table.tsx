import type { DeliveryView } from '@tallystick/core'
import { Pill, type Tone } from '@tallystick/ui'
import { formatPlace } from '../access/place.ts'
import { formatCount, formatIso } from '../parts/format.ts'
import { type Column, Table } from '../parts/table.tsx'

export const deliveryTones: Readonly<Record<DeliveryView['status'], Tone>> = {
  delivered: 'good',
  retrying: 'warn',
  failed: 'bad',
  gone: 'bad',
  skipped: 'warn',
}

type DeliveriesTableProps = { readonly hookId: string; readonly deliveries: readonly DeliveryView[] }

/** Renders the newest deliveries of a webhook. */
export function DeliveriesTable({ hookId, deliveries }: DeliveriesTableProps) {
  if (deliveries.length === 0) return <p class="muted use-none">Nothing was sent to this webhook yet.</p>
  const event: Column<DeliveryView> = {
    title: 'Event',
    isHead: true,
    cell: ({ event, type, chainId }) => (
      <>
        <a href={formatPlace('webhooks', { path: [hookId, event] })}>{`${type} ${event}`}</a>
        <span class="sub cell-hint">chain {chainId}</span>
      </>
    ),
  }
  return (
    <Table
      caption="Deliveries, newest first"
      columns={[event, ...columns]}
      rows={deliveries}
      keyOf={(delivery) => delivery.event}
    />
  )
}

const columns: readonly Column<DeliveryView>[] = [
  {
    title: 'Status',
    cell: ({ status, error, nextAttemptAt }) => (
      <>
        <Pill tone={deliveryTones[status]}>{status}</Pill>
        {error ? <span class="sub cell-hint">{error}</span> : null}
        {nextAttemptAt ? <span class="sub cell-hint">{`next attempt ${formatIso(nextAttemptAt)}`}</span> : null}
      </>
    ),
  },
  { title: 'Response', cell: (delivery) => describeResponse(delivery.responseStatus, delivery.durationMs) },
  { title: 'Attempts', class: 'number', cell: ({ attempts }) => formatCount(attempts) },
  { title: 'Last attempt', cell: ({ lastAttemptAt }) => formatIso(lastAttemptAt) },
]

/** Describes a response in a few words. */
export function describeResponse(status: number | null, durationMs: number | null): string {
  const took = durationMs === null ? '' : ` in ${formatCount(durationMs)} ms`
  return status === null ? `none${took}` : `${status}${took}`
}
