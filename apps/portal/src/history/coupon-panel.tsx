import type { HistoryPeriod } from '@tallystick/client'
import { formatDate, formatHours, formatPeriod, formatRate, useZone, zoneName } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PanelChoice } from './history-link.ts'
import { HistoryTable } from './history-table.tsx'
import { indexOfSlot, LostSlot, type SlotChoice, StepChart } from './step-chart.tsx'
import { boundsOf, couponOf, hasGaps, listCouponSeries, listTenors } from './step-series.ts'

type CouponPanelProps = {
  readonly periods: readonly HistoryPeriod[]
  readonly panels: PanelChoice
  readonly onChange: (change: PanelChoice) => void
}

/** Renders the coupons by tenor over time. `periods` are newest first and not empty. */
export function CouponPanel({ periods, panels, onChange }: CouponPanelProps) {
  const zone = useZone()
  const { series, tenors, slots } = useMemo(() => listAll(periods, zone), [periods, zone])
  const hidden = useMemo(
    () => series.flatMap(({ name }, index) => (panels.hidden?.includes(tenors[index] as number) ? name : [])),
    [series, tenors, panels.hidden],
  )
  const choice: SlotChoice = {
    slots,
    index: indexOfSlot(slots, panels.period),
    onChoose: (period) => onChange({ period }),
  }
  const isLogged = periods.some(({ logIndex }) => logIndex !== null)
  return (
    <>
      <StepChart
        id="coupons"
        title="Coupons by tenor over time"
        slotName="Period"
        axes={{ rate: 'Coupon per 360-day year', horizontal: `Period, ${zoneName(zone)} time` }}
        {...{ series, choice, zone }}
        hidden={hidden}
        onHide={(names) =>
          onChange({ hidden: tenors.filter((_, index) => names.includes(series[index]?.name as string)) })
        }
      />
      <LostSlot slots={slots} start={panels.period} name="period" />
      {hasGaps(series) ? <p class="hint">Where a line is interrupted, no note of that tenor was on offer.</p> : null}
      <HistoryTable
        caption={`Coupons by period, newest first, per 360-day year. Times are ${zoneName(zone)}.`}
        columns={['Period', ...tenors.map((days) => `${days} d`), ...(isLogged ? ['Log entry'] : [])]}
        rows={periods}
        choice={choice}
        show={(period) => ({
          start: Number(period.periodStart),
          header: <PeriodHeader period={period} />,
          cells: [
            ...tenors.map((days) => formatCoupon(couponOf(period, days))),
            ...(isLogged
              ? [
                  <span key="log" class="muted">
                    {period.logIndex?.toLocaleString('en-US') ?? '–'}
                  </span>,
                ]
              : []),
          ],
        })}
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

function PeriodHeader({ period }: { readonly period: HistoryPeriod }) {
  const zone = useZone()
  const hours = Number(period.periodEnd - period.periodStart) / 3600
  return (
    <>
      {formatDate(period.periodStart, zone)} <span class="when muted">{formatHours(period, zone)}</span>
      {hours === 17 || hours === 19 ? (
        <span class="tag bold" title="The clocks change in this period.">{`${hours} h`}</span>
      ) : null}
    </>
  )
}

function formatCoupon(bps: bigint | undefined): ComponentChildren {
  return bps === undefined ? <span class="muted">–</span> : formatRate(bps)
}
