/** The instants between which a clock's reading lies, Unix milliseconds. */
export type ClockEstimate = { readonly earliestMs: number; readonly latestMs: number }

/** A clock that is not this machine's. */
export type ReferenceClock = {
  /** For people and as a label, such as `database` or `chain 324`. */
  readonly name: string
  /** Its reading now, or undefined while none is known. Asks nobody: it counts on from the last measurement. */
  estimate(): ClockEstimate | undefined
  /** Measures it. Resolves within a few seconds and never throws. A measurement that fails changes nothing. */
  measure(): Promise<void>
}

// The last second of the year 9999. A later reading is no time of day, and dates cannot hold all of them.
const instantMsMax = 253_402_300_799_999
// With a longer round trip the reading says too little about which second it is.
export const roundTripMsMax = 1_000

/**
 * Creates the estimate of a clock that can be read over a network. It counts on by a monotonic clock, so that a step of
 * this machine's clock shows at once, also while the other clock cannot be read.
 */
export function createMeasuredClock({
  name,
  read,
  shiftMs = () => 0,
  monotonicNow,
}: {
  readonly name: string
  /** Reads the other clock, Unix milliseconds. */
  readonly read: () => Promise<number>
  /** Added to the other clock at each estimate. */
  readonly shiftMs?: (() => number) | undefined
  readonly monotonicNow: () => number
}): ReferenceClock {
  let sample: { readonly aheadMs: number; readonly uncertaintyMs: number } | undefined
  return {
    name,
    estimate: () => {
      if (!sample) return undefined
      const nowMs = monotonicNow() + sample.aheadMs + shiftMs()
      return { earliestMs: nowMs - sample.uncertaintyMs, latestMs: nowMs + sample.uncertaintyMs }
    },
    measure: async () => {
      const startedMs = monotonicNow()
      const readMs = await withinMs(read(), roundTripMsMax)
      const endedMs = monotonicNow()
      const roundTripMs = endedMs - startedMs
      if (readMs === undefined || !isInstant(readMs) || roundTripMs > roundTripMsMax) return
      sample = { aheadMs: readMs - (startedMs + endedMs) / 2, uncertaintyMs: roundTripMs / 2 }
    },
  }
}

/** Returns whether a reading can be a time of day at all. */
export function isInstant(ms: number): boolean {
  return ms >= 0 && ms <= instantMsMax
}

/** Resolves to undefined if the work fails or takes longer. */
async function withinMs<Result>(work: Promise<Result>, limitMs: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs)
  })
  const result = await Promise.race([work.catch(() => undefined), limit])
  clearTimeout(timer)
  return result
}
