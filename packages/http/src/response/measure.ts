import type { MetricHelp, Metrics } from '@tallystick/base'
import type { FastifyInstance } from 'fastify'

export const httpMetricHelp: MetricHelp = {
  tallystick_http_requests_total: 'Requests served, by route and status.',
  tallystick_http_request_duration_seconds: 'Time from a request’s headers to the end of its response, by route.',
  tallystick_plain_http_total: 'Connections refused because they were not TLS.',
}

/** Counts requests by route and status and measures how long they take. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const durationOf = remember((route) => metrics.histogram('tallystick_http_request_duration_seconds', { route }))
  const countersOf = remember((route) =>
    remember((status) => metrics.counter('tallystick_http_requests_total', { route, status: Number(status) })),
  )
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    countersOf(route)(String(reply.statusCode)).increment()
    durationOf(route).observe(reply.elapsedTime / 1000)
    done()
  })
}

/** Returns the function that creates the value of a key on first use. */
function remember<Value extends object>(create: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const value = known.get(key)
    if (value) return value
    const created = create(key)
    known.set(key, created)
    return created
  }
}
