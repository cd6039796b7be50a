import type { Counter, MetricHelp, Metrics } from '@tallystick/base'
import type { FastifyInstance } from 'fastify'

export const httpMetricHelp: MetricHelp = {
  tallystick_http_requests_total: 'Requests served, by route and status.',
  tallystick_http_request_duration_seconds: 'Time from a request’s headers to the end of its response, by route.',
  tallystick_plain_http_total: 'Connections refused because they were not TLS.',
}

/** Counts requests by route and status and measures how long they take. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const durations = new Map<string, ReturnType<Metrics['histogram']>>()
  const counters = new Map<string, Counter>()
  const durationOf = (route: string) => {
    const known = durations.get(route)
    if (known) return known
    const created = metrics.histogram('tallystick_http_request_duration_seconds', { route })
    durations.set(route, created)
    return created
  }
  const counterOf = (route: string, status: number) => {
    const key = `${status} ${route}`
    const known = counters.get(key)
    if (known) return known
    const created = metrics.counter('tallystick_http_requests_total', { route, status })
    counters.set(key, created)
    return created
  }
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    counterOf(route, reply.statusCode).increment()
    durationOf(route).observe(reply.elapsedTime / 1000)
    done()
  })
}
