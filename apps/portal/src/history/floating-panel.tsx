import type { HistoryDay } from '@tallystick/client'
import { formatDate, formatRate, isoDate, Notice, utcMidnight } from '@tallystick/ui'
import { useMemo } from 'preact/hooks'
import type { PanelChoice } from './history-link.ts'
import { HistoryTable } from './history-table.tsx'
import { indexOfSlot, LostSlot, type SlotChoice, StepChart } from './step-chart.tsx'
import { floatingSeries } from './step-series.ts'

type FloatingPanelProps = {
  readonly days: readonly HistoryDay[]
  readonly panels: PanelChoice
  readonly onChange: (change: PanelChoice) => void
}

/** Renders the floating rate by day. `days` are newest first and not empty, but may have no floating rate. */
export function FloatingPanel({ days, panels, onChange }: FloatingPanelProps) {
  const { series, slots } = useMemo(() => listAll(days), [days])
  const start = panels.day === undefined ? undefined : utcMidnight(panels.day)
  const choice: SlotChoice = {
    slots,
    index: indexOfSlot(slots, start),
    onChoose: (seconds) => onChange({ day: isoDate(seconds, 'UTC') }),
  }
  if (slots.length === 0) {
    return (
      <Notice tone="calm" title="No floating rate in this range">
        {days[0]?.floatingReason ?? 'The chain has none on these days. Choose other dates.'}
      </Notice>
    )
  }
  return (
    <div class="history-pair grid">
      <div class="shrink">
        <StepChart
          id="floating"
          title="Floating rate by day"
          slotName="Day"
          axes={{ rate: 'Floating rate, annualised', horizontal: 'Day, UTC' }}
          {...{ series, choice, zone: 'UTC' }}
        />
        <LostSlot slots={slots} start={start} name="day" />
      </div>
      <div class="shrink">
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
      </div>
    </div>
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
