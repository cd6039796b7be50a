import type { Plot } from './chart-layout.ts'

// Distances between ticks, in basis points.
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
const tickCountMax = 6

/** Lays out the axis of rates in basis points: with round ends and a margin around the rates, never below zero. */
export function layOutRates(rates: readonly number[], { top, bottom }: Plot) {
  const lowest = rates.reduce((a, b) => Math.min(a, b))
  const highest = rates.reduce((a, b) => Math.max(a, b))
  const room = Math.max(2, (highest - lowest) * 0.12)
  const [from, to] = [Math.max(0, lowest - room), highest + room]
  const step = steps.find((candidate) => (to - from) / candidate <= tickCountMax - 1) ?? Math.ceil((to - from) / 5)
  const [low, high] = [Math.floor(from / step) * step, Math.ceil(to / step) * step]
  const yOf = (bps: number) => bottom - ((bps - low) / (high - low)) * (bottom - top)
  const rateTicks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, index) => {
    const bps = low + index * step
    return { y: yOf(bps), label: `${(bps / 100).toFixed(2)}%` }
  })
  return { yOf, rateTicks }
}
