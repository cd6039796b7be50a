import type { HistoryPeriod } from '@tallystick/client'
import { ChoosableRow, formatDate, formatHours, formatPeriod, formatRate, useZone, zoneName } from '@tallystick/ui'
import { useMemo } from 'preact/hooks'
import { HistoryTable } from './history-table.tsx'
import { type SlotChoice, StepChart, useSlotChoice } from './step-chart.tsx'
import { boundsOf, couponOf, hasGaps, listCouponSeries, listTenors } from './step-series.ts'

/** Renders the coupons by tenor over time. `periods` are newest first and not empty. */
export function CouponPanel({ periods }: { readonly periods: readonly HistoryPeriod[] }) {
  const zone = useZone()
  const { series, tenors, slots } = useMemo(() => listAll(periods, zone), [periods, zone])
  const choice = useSlotChoice(slots)
  const isLogged = periods.some(({ logIndex }) => logIndex !== null)
  return (
    <>
      <StepChart
        id="coupons"
        title="Coupons by tenor over time"
        slotName="Period"
        axes={{ rate: 'Coupon per 360-day year', horizontal: `Period, ${zoneName(zone)} time` }}
        {...{ series, choice, zone }}
      />
      {hasGaps(series) ? <p class="hint">Where a line is interrupted, no note of that tenor was on offer.</p> : null}
      <HistoryTable
        caption={`Coupons by period, newest first, per 360-day year. Times are ${zoneName(zone)}.`}
        columns={['Period', ...tenors.map((days) => `${days} d`), ...(isLogged ? ['Log entry'] : [])]}
        rows={periods}
        renderRow={(period) => <Row key={String(period.periodStart)} {...{ period, tenors, isLogged, choice }} />}
      />
    </>
  )
}

function listAll(periods: readonly HistoryPeriod[], zone: string) {
  return {
    series: listCouponSeries(periods),
    tenors: listTenors(periods),
    slots: periods
      .toReversed()
      .map((period) => ({ ...boundsOf(period), text: `${formatPeriod(period, zone)} ${zoneName(zone)}` })),
  }
}

type RowProps = {
  readonly period: HistoryPeriod
  readonly tenors: readonly number[]
  readonly isLogged: boolean
  readonly choice: SlotChoice
}

function Row({ period, tenors, isLogged, choice }: RowProps) {
  const zone = useZone()
  const { periodStart, logIndex } = period
  const { start, end } = boundsOf(period)
  const hours = (end - start) / 3600
  return (
    <ChoosableRow
      group="coupon-row"
      isChosen={choice.slots[choice.index]?.start === start}
      onChoose={() => choice.onChoose(start)}
      header={
        <>
          {formatDate(periodStart, zone)} <span class="when muted">{formatHours(period, zone)}</span>
          {hours === 17 || hours === 19 ? (
            <span class="tag bold" title="The clocks change in this period.">{`${hours} h`}</span>
          ) : null}
        </>
      }
    >
      {tenors.map((days) => {
        const coupon = couponOf(period, days)
        return (
          <td key={days} class="number">
            {coupon === undefined ? <span class="muted">–</span> : formatRate(coupon)}
          </td>
        )
      })}
      {isLogged ? <td class="number muted">{logIndex === null ? '–' : logIndex.toLocaleString('en-US')}</td> : null}
    </ChoosableRow>
  )
}
