import type { HistoryDay } from '@tallystick/client'
import { formatDate, formatRate, Notice, utcMidnight } from '@tallystick/ui'
import { useMemo } from 'preact/hooks'
import { HistoryTable } from './history-table.tsx'
import { StepChart, useSlotChoice } from './step-chart.tsx'
import { floatingSeries } from './step-series.ts'

/** Renders the floating rate by day. `days` are newest first and not empty, but may have no floating rate. */
export function FloatingPanel({ days }: { readonly days: readonly HistoryDay[] }) {
  const { series, slots } = useMemo(() => listAll(days), [days])
  const choice = useSlotChoice(slots)
  if (slots.length === 0) {
    return (
      <Notice tone="calm" title="No floating rate in this range">
        {days[0]?.floatingReason ?? 'The chain has none on these days. Choose other dates.'}
      </Notice>
    )
  }
  return (
    <>
      <StepChart
        id="floating"
        title="Floating rate by day"
        slotName="Day"
        axes={{ rate: 'Floating rate, annualised', horizontal: 'Day, UTC' }}
        {...{ series, choice, zone: 'UTC' }}
      />
      <HistoryTable
        caption="Floating rate by UTC day, newest first: the income of the day, annualised."
        columns={['Day', 'Floating rate']}
        rows={days}
        choice={choice}
        show={({ day, floatingRate, floatingReason }) => ({
          start: floatingRate === null ? undefined : utcMidnight(day),
          header: dateOf(day),
          cells: [
            floatingRate === null ? (
              <span class="muted reason">{floatingReason ?? '–'}</span>
            ) : (
              formatRate(floatingRate)
            ),
          ],
        })}
      />
    </>
  )
}

function listAll(days: readonly HistoryDay[]) {
  const known = days.filter(({ floatingRate }) => floatingRate !== null)
  const slots = known.toReversed().map(({ day }) => {
    const start = utcMidnight(day)
    return { start, end: start + 86_400, text: `${dateOf(day)} (UTC)` }
  })
  return { series: [floatingSeries(days)], slots }
}

function dateOf(day: string): string {
  return formatDate(BigInt(utcMidnight(day)), 'UTC')
}
