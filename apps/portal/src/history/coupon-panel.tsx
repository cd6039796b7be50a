import type { HistoryPeriod } from '@tallystick/client'
import { formatRate } from '../format/format-rate.ts'
import { formatDate, formatHours, formatPeriod, newYorkZone } from '../format/format-time.ts'
import { HistoryTable } from './history-table.tsx'
import { StepChart } from './step-chart.tsx'
import { boundsOf, couponOf, hasGaps, listCouponSeries, listTenors } from './step-series.ts'

/** Renders the coupons by tenor over time. `periods` are newest first and not empty. */
export function CouponPanel({ periods }: { readonly periods: readonly HistoryPeriod[] }) {
  const series = listCouponSeries(periods)
  const tenors = listTenors(periods)
  const isLogged = periods.some(({ logIndex }) => logIndex !== null)
  const slots = periods.toReversed().map((period) => ({
    ...boundsOf(period),
    text: `${formatPeriod(period)} New York`,
  }))
  return (
    <>
      <StepChart
        id="coupons"
        title="Coupons by tenor over time"
        slotName="Period"
        {...{ series, slots, zone: newYorkZone }}
      />
      {hasGaps(series) ? <p class="hint">Where a line is interrupted, no note of that tenor was on offer.</p> : null}
      <HistoryTable
        caption="Coupons by period, newest first, per 360-day year. Times are New York."
        columns={['Period', ...tenors.map((days) => `${days} d`), ...(isLogged ? ['Log entry'] : [])]}
        rows={periods}
        renderRow={(period) => <Row key={String(period.periodStart)} {...{ period, tenors, isLogged }} />}
      />
    </>
  )
}

function Row({
  period,
  tenors,
  isLogged,
}: {
  readonly period: HistoryPeriod
  readonly tenors: readonly number[]
  readonly isLogged: boolean
}) {
  const { periodStart, logIndex } = period
  const { start, end } = boundsOf(period)
  const hours = (end - start) / 3600
  return (
    <tr>
      <th scope="row">
        {formatDate(periodStart, newYorkZone)} <span class="when">{formatHours(period)}</span>
        {hours === 17 || hours === 19 ? (
          <span class="tag" title="The clocks change in this period.">{`${hours} h`}</span>
        ) : null}
      </th>
      {tenors.map((days) => {
        const coupon = couponOf(period, days)
        return (
          <td key={days} class="number">
            {coupon === undefined ? <span class="muted">–</span> : formatRate(coupon)}
          </td>
        )
      })}
      {isLogged ? <td class="number muted">{logIndex === null ? '–' : logIndex.toLocaleString('en-US')}</td> : null}
    </tr>
  )
}
