import { newYorkDate, type Period, periodAt } from '@tallystick/core'

// Year 5138. The calendar has no dates for numbers that are much larger.
const secondsMax = 100_000_000_000n

/** Returns whether an instant, Unix seconds, has a date. An entry may contain any number. */
export function hasDate(seconds: bigint): boolean {
  return seconds < secondsMax
}

/** Returns the period that starts at an instant, or undefined if none does. */
export function findPeriodFrom(seconds: bigint): Period | undefined {
  const period = hasDate(seconds) ? periodAt(seconds) : undefined
  return period?.start === seconds ? period : undefined
}

/**
 * Numbers of periods, as ascending ranges with both ends included. Consecutive periods are one range, so the periods of many
 * years without a gap take a few bytes.
 */
export type PeriodRanges = [first: number, last: number][]

const dayMs = 86_400_000

/** Returns the number of a period. The next period has the next number. */
export function periodNumber({ noteDay, start }: Period): number {
  return (Date.parse(newYorkDate(noteDay)) / dayMs) * 2 + (start === noteDay ? 0 : 1)
}

export function hasPeriod(ranges: PeriodRanges, number: number): boolean {
  return ranges.some(([first, last]) => first <= number && number <= last)
}

/** Adds a period. */
export function addPeriod(ranges: PeriodRanges, number: number): PeriodRanges {
  if (hasPeriod(ranges, number)) return ranges
  const sorted = [...ranges, [number, number] as [number, number]].sort(([a], [b]) => a - b)
  const merged: PeriodRanges = []
  for (const [first, last] of sorted) {
    const previous = merged.at(-1)
    if (previous && previous[1] + 1 === first) previous[1] = last
    else merged.push([first, last])
  }
  return merged
}
