import { type Period, periodAt } from '@tallystick/core'

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
