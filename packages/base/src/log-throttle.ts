import { systemTime, type Time } from './time.ts'

/** Returns how many lines of this kind were left out since the last one if a line is due, otherwise undefined. */
export type LogThrottle = (kind?: string) => { readonly leftOut: number } | undefined

/** Settings of a log throttle. */
export type LogThrottleOptions = {
  /** The time of this machine by default. */
  readonly time?: Pick<Time, 'monotonic'> | undefined
  /** The shortest time between two lines of one kind; 10 s by default. */
  readonly everyMs?: number | undefined
  /** The number of kinds that are remembered; 50 by default. */
  readonly kindsMax?: number | undefined
}

// One line per 10 s is enough. One per failed request would fill the disk.
const everyMsDefault = 10_000
// Failures have a handful of kinds. A text that is new each time must not be remembered for ever.
const kindsMaxDefault = 50

/**
 * Creates a throttle that allows the first line of each kind at once and further ones at an interval.
 *
 * @example
 * const throttle = createLogThrottle()
 * const due = throttle('timeout')
 * if (due) log.warn({ leftOut: due.leftOut }, 'query timed out')
 */
export function createLogThrottle(options: LogThrottleOptions = {}): LogThrottle {
  const { time = systemTime, everyMs = everyMsDefault, kindsMax = kindsMaxDefault } = options
  const logged = new Map<string, { readonly atMs: number; leftOut: number }>()
  return (kind = '') => {
    const nowMs = time.monotonic()
    const last = logged.get(kind)
    if (last && nowMs - last.atMs < everyMs) {
      last.leftOut++
      return undefined
    }
    if (!last && logged.size >= kindsMax) logged.clear()
    logged.set(kind, { atMs: nowMs, leftOut: 0 })
    return { leftOut: last?.leftOut ?? 0 }
  }
}
