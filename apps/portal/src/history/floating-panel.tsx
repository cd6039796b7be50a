import type { HistoryDay } from '@tallystick/client'
import { ChoosableRow, formatDate, formatRate, Notice, utcMidnight } from '@tallystick/ui'
import { useMemo } from 'preact/hooks'
import { HistoryTable } from './history-table.tsx'
import { type SlotChoice, StepChart, useSlotChoice } from './step-chart.tsx'
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
        renderRow={(row) => <Row key={row.day} row={row} choice={choice} />}
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

type RowProps = {
  readonly row: HistoryDay
  readonly choice: SlotChoice
}

/** A day without a rate is not on the chart, so it cannot be chosen. */
function Row({ row: { day, floatingRate, floatingReason }, choice }: RowProps) {
  if (floatingRate === null) {
    return (
      <tr>
        <th scope="row">{dateOf(day)}</th>
        <td class="number">
          <span class="muted reason">{floatingReason ?? '–'}</span>
        </td>
      </tr>
    )
  }
  const start = utcMidnight(day)
  return (
    <ChoosableRow
      group="floating-row"
      isChosen={choice.slots[choice.index]?.start === start}
      onChoose={() => choice.onChoose(start)}
      header={dateOf(day)}
    >
      <td class="number">{formatRate(floatingRate)}</td>
    </ChoosableRow>
  )
}

function dateOf(day: string): string {
  return formatDate(BigInt(utcMidnight(day)), 'UTC')
}
