export type RateScale = { readonly low: number; readonly high: number; readonly step: number }

// Distances between ticks, in basis points.
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
const tickCountMax = 6

/** Returns a scale with round ends and a margin around the rates, never below zero. All are in basis points. */
export function chooseRateScale(lowest: number, highest: number): RateScale {
  const room = Math.max(2, (highest - lowest) * 0.12)
  const [from, to] = [Math.max(0, lowest - room), highest + room]
  const step = steps.find((candidate) => (to - from) / candidate <= tickCountMax - 1) ?? Math.ceil((to - from) / 5)
  return { low: Math.floor(from / step) * step, high: Math.ceil(to / step) * step, step }
}

/** Returns the ticks of a scale, ascending. */
export function listRateTicks({
  low,
  high,
  step,
}: RateScale): readonly { readonly bps: number; readonly label: string }[] {
  return Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => {
    const bps = low + index * step
    return { bps, label: `${(bps / 100).toFixed(2)}%` }
  })
}
