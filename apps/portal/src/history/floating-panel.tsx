import type { HistoryDay } from '@tallystick/client'
import { formatRate } from '../format/format-rate.ts'
import { formatDate } from '../format/format-time.ts'
import { utcMidnight } from '../format/new-york-day.ts'
import { Notice } from '../parts/notice.tsx'
import { HistoryTable } from './history-table.tsx'
import { StepChart } from './step-chart.tsx'
import { floatingSeries } from './step-series.ts'

/** Renders the floating rate by day. `days` are newest first and not empty, but may have no floating rate. */
export function FloatingPanel({ days }: { readonly days: readonly HistoryDay[] }) {
  const series = [floatingSeries(days)]
  if (series[0]?.spans.length === 0) {
    return (
      <Notice tone="calm" title="No floating rate in this range">
        {days[0]?.floatingReason ?? 'The chain has none on these days. Choose other dates.'}
      </Notice>
    )
  }
  const known = days.filter(({ floatingRate }) => floatingRate !== null)
  const slots = known.toReversed().map(({ day }) => {
    const start = utcMidnight(day)
    return { start, end: start + 86_400, text: `${dateOf(day)} (UTC)` }
  })
  return (
    <>
      <StepChart id="floating" title="Floating rate by day" slotName="Day" {...{ series, slots, zone: 'UTC' }} />
      <HistoryTable
        caption="Floating rate by UTC day, newest first: the income of the day, annualised."
        columns={['Day', 'Floating rate']}
        rows={days}
        renderRow={({ day, floatingRate, floatingReason }) => (
          <tr key={day}>
            <th scope="row">{dateOf(day)}</th>
            <td class="number">
              {floatingRate === null ? (
                <span class="muted reason">{floatingReason ?? '–'}</span>
              ) : (
                formatRate(floatingRate)
              )}
            </td>
          </tr>
        )}
      />
    </>
  )
}

function dateOf(day: string): string {
  return formatDate(BigInt(utcMidnight(day)), 'UTC')
}
