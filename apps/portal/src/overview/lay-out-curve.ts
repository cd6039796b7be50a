import type { Offer } from '../data/offers.ts'

export type Point = { readonly x: number; readonly y: number; readonly offer: Offer }

export type CurveLayout = {
  readonly points: readonly Point[]
  readonly lastPoints: readonly { readonly x: number; readonly y: number }[]
  readonly ticks: readonly { readonly y: number; readonly label: string }[]
  readonly plot: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }
}

// Distances between ticks, in basis points.
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
const tickCountMax = 6

/**
 * Computes the coordinates of the curve. The horizontal axis is logarithmic, because the short tenors are close together
 * and matter most.
 */
export function layOutCurve(
  offers: readonly Offer[],
  { width, height }: { readonly width: number; readonly height: number },
): CurveLayout {
  const plot = { left: 52, right: width - 18, top: 34, bottom: height - 40 }
  const rates = offers.flatMap(({ note, lastCoupon }) => [Number(note.coupon), Number(lastCoupon ?? note.coupon)])
  const { low, high, step } = chooseScale(Math.min(...rates), Math.max(...rates))
  const yOf = (bps: number) => plot.bottom - ((bps - low) / (high - low)) * (plot.bottom - plot.top)
  const days = offers.map(({ tenorDays }) => Math.log(tenorDays))
  const [first, last] = [Math.min(...days), Math.max(...days)]
  const inset = 14
  const xOf = (tenorDays: number) => {
    const part = last === first ? 0.5 : (Math.log(tenorDays) - first) / (last - first)
    return plot.left + inset + part * (plot.right - plot.left - 2 * inset)
  }
  return {
    points: offers.map((offer) => ({ x: xOf(offer.tenorDays), y: yOf(Number(offer.note.coupon)), offer })),
    lastPoints: offers.flatMap(({ tenorDays, lastCoupon }) =>
      lastCoupon === undefined ? [] : { x: xOf(tenorDays), y: yOf(Number(lastCoupon)) },
    ),
    ticks: Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => {
      const bps = low + index * step
      return { y: yOf(bps), label: `${(bps / 100).toFixed(2)}%` }
    }),
    plot,
  }
}

/** Returns a scale with round ends and a margin around the rates, never below zero. */
function chooseScale(lowest: number, highest: number) {
  const room = Math.max(2, (highest - lowest) * 0.12)
  const [from, to] = [Math.max(0, lowest - room), highest + room]
  const step = steps.find((candidate) => (to - from) / candidate <= tickCountMax - 1) ?? Math.ceil((to - from) / 5)
  return { low: Math.floor(from / step) * step, high: Math.ceil(to / step) * step, step }
}
