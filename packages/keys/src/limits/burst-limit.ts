import type { SingleLimit } from '@tallystick/base'

const secondMs = 1_000

/**
 * Creates a limit of requests within any second of this replica. It keeps the time of each of the last `limit` requests:
 * the next one is allowed a second after the oldest of them.
 */
export function createBurstLimit(limit: number): SingleLimit {
  // Created for the first request, because few keys are in use at once.
  let times: Float64Array | undefined
  let oldest = 0
  let lastMs = 0
  return {
    name: 'burst',
    limit,
    windowSeconds: 1,
    hasRoom: (monotonicMs) => {
      times ??= new Float64Array(limit).fill(Number.NEGATIVE_INFINITY)
      return monotonicMs - (times[oldest] as number) >= secondMs
    },
    spend: (monotonicMs) => {
      lastMs = monotonicMs
      if (times) times[oldest] = monotonicMs
      oldest = (oldest + 1) % limit
    },
    // A lower bound: counting all of them would take longer than the request.
    remaining: () => (times && lastMs - (times[oldest] as number) < secondMs ? 0 : 1),
    resetSeconds: () => 1,
    retrySeconds: () => 1,
  }
}
