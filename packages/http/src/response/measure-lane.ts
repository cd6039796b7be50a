import type { Counter, Metrics } from '@tallystick/base'

export type MeasureLane = (status: 200 | 304, elapsedMs: number) => void

/** Creates the function that counts the responses of a lane, in the same series as the framework's. */
export function createMeasureLane(metrics: Metrics, route: string): MeasureLane {
  const counters: { 200?: Counter; 304?: Counter } = {}
  let duration: ReturnType<Metrics['histogram']> | undefined
  return (status, elapsedMs) => {
    // On first use: the framework has no series without a request either.
    counters[status] ??= metrics.counter('tallystick_http_requests_total', { route, status })
    duration ??= metrics.histogram('tallystick_http_request_duration_seconds', { route })
    counters[status].increment()
    duration.observe(elapsedMs / 1000)
  }
}
