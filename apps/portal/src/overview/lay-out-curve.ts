import { type ChartLayout, type ChartSize, layOutRates, plotOf, thinTicks } from '@tallystick/ui'
import type { Offer } from '../data/offers.ts'

export type CurveLayout = ChartLayout & {
  readonly points: readonly { readonly x: number; readonly y: number; readonly offer: Offer }[]
  readonly lastPoints: readonly { readonly x: number; readonly y: number }[]
}

const inset = 14

/**
 * Computes the coordinates of the curve. The horizontal axis is logarithmic, because the short tenors are close together
 * and matter most.
 */
export function layOutCurve(offers: readonly Offer[], size: ChartSize): CurveLayout {
  const plot = plotOf(size, 18)
  const rates = offers.flatMap(({ coupon, lastCoupon }) => [Number(coupon), Number(lastCoupon ?? coupon)])
  const { yOf, rateTicks } = layOutRates(rates, plot)
  const days = offers.map(({ tenorDays }) => Math.log(tenorDays))
  const [first, last] = [Math.min(...days), Math.max(...days)]
  const xOf = (tenorDays: number) => {
    const part = last === first ? 0.5 : (Math.log(tenorDays) - first) / (last - first)
    return plot.left + inset + part * (plot.right - plot.left - 2 * inset)
  }
  const points = offers.map((offer) => ({ x: xOf(offer.tenorDays), y: yOf(Number(offer.coupon)), offer }))
  return {
    points,
    lastPoints: offers.flatMap(({ tenorDays, lastCoupon }) =>
      lastCoupon === undefined ? [] : { x: xOf(tenorDays), y: yOf(Number(lastCoupon)) },
    ),
    stops: points.map(({ x }, index) => ({ x, until: (x + (points[index + 1]?.x ?? size.width)) / 2 })),
    ticks: thinTicks(points.map(({ x, offer }) => ({ x, label: String(offer.tenorDays) }))),
    rateTicks,
    plot,
  }
}
