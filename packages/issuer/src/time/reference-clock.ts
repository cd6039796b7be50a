import { type Time, within } from '@tallystick/base'

/** Bounds of a clock's reading, Unix milliseconds. */
export type ClockEstimate = { readonly earliestMs: number; readonly latestMs: number }

/** A clock other than this machine's. */
export type ReferenceClock = {
  /** Used in messages and as a metric label, such as `database` or `chain 324`. */
  readonly name: string
  /** Returns the estimated reading now, extrapolated from the last measurement, or undefined before the first one. */
  estimate(): ClockEstimate | undefined
  /** Measures the clock. Resolves within seconds and never throws. A failed measurement changes nothing. */
  measure(): Promise<void>
}

// The end of the year 9999. A later reading is invalid.
const instantMsMax = 253_402_300_799_999
// With a longer round trip, the reading is too uncertain.
const roundTripMsMax = 1_000

type MeasuredClockOptions = {
  readonly name: string
  /** Reads the other clock, Unix milliseconds. */
  readonly read: () => Promise<number>
  /** Added to each estimate. */
  readonly shiftMs?: (() => number) | undefined
  readonly time: Pick<Time, 'monotonic'>
}

/**
 * Creates a clock that is measured over a network and extrapolated with a monotonic clock. So a step of this machine's
 * clock is detected at once, even while the other clock cannot be read.
 */
export function createMeasuredClock({ name, read, shiftMs = () => 0, time }: MeasuredClockOptions): ReferenceClock {
  let sample: { readonly aheadMs: number; readonly uncertaintyMs: number } | undefined
  return {
    name,
    estimate: () => {
      if (!sample) return undefined
      const nowMs = time.monotonic() + sample.aheadMs + shiftMs()
      return { earliestMs: nowMs - sample.uncertaintyMs, latestMs: nowMs + sample.uncertaintyMs }
    },
    measure: async () => {
      const startedMs = time.monotonic()
      const readMs = await within(read(), { limitMs: roundTripMsMax, onLate: () => undefined }).catch(() => undefined)
      const endedMs = time.monotonic()
      const roundTripMs = endedMs - startedMs
      if (readMs === undefined || !isInstant(readMs) || roundTripMs > roundTripMsMax) return
      sample = { aheadMs: readMs - (startedMs + endedMs) / 2, uncertaintyMs: roundTripMs / 2 }
    },
  }
}

/** Returns whether a reading is a valid instant. */
export function isInstant(ms: number): boolean {
  return ms >= 0 && ms <= instantMsMax
}
