import { readdirSync, readFileSync, statSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { LineWriter, MetricHelp, Metrics, Time } from '@tallystick/base'
import type { KeyScope } from '@tallystick/core'
import { createBoundedKeys, type KeyRing } from '@tallystick/keys'

export type HostMetricsOptions = {
  readonly keyRing: Pick<KeyRing, 'usage'>
  readonly time: Pick<Time, 'now'>
  /** Writers by name of their stream. */
  readonly writers: Readonly<Record<string, Pick<LineWriter, 'dropped'>>>
}

// Each key has a series per endpoint. Prometheus should have thousands of series of a service, not millions.
const keyLabelsMax = 100

// Process metrics have the names of Prometheus' own libraries, so that existing dashboards show them.
export const hostMetricHelp: MetricHelp = {
  tallystick_certificate_rejected:
    'ALARM: 1 if the files have a certificate that is not used: unreadable, of another key, expired or not valid yet.',
  tallystick_certificate_not_after_timestamp_seconds: 'ALARM: Unix time at which the TLS certificate in use expires.',
  tallystick_key_requests_total:
    'Requests with a valid API key and its scope, by key (100 keys and "other") and endpoint.',
  tallystick_log_dropped_total: 'ALARM: log lines lost because they could not be written, by stream.',
  tallystick_event_loop_delay_seconds: 'Delay of the main thread since the last scrape, by quantile; 1 is the longest.',
  process_cpu_seconds_total: 'Processor time used, user and system.',
  process_resident_memory_bytes: 'Resident memory.',
  process_start_time_seconds: 'Unix time at which the process started.',
  process_open_fds: 'Open file descriptors (Linux).',
  process_max_fds: 'Limit of open file descriptors (Linux).',
  nodejs_heap_size_used_bytes: 'JavaScript heap in use.',
  nodejs_heap_size_total_bytes: 'JavaScript heap allocated.',
  nodejs_external_memory_bytes: 'Memory outside the JavaScript heap, buffers included.',
}

/** Adds metrics of the process and of key usage. Returns a function that stops the measurement. */
export function addHostMetrics(metrics: Metrics, { keyRing, time, writers }: HostMetricsOptions): () => void {
  const listKeys = createBoundedKeys(keyLabelsMax)
  metrics.readCounter('tallystick_key_requests_total', () =>
    listKeys(keyRing.usage(time.now())).flatMap(({ id, uses }) =>
      (Object.keys(uses) as KeyScope[]).map((endpoint) => ({ labels: { key: id, endpoint }, value: uses[endpoint] })),
    ),
  )
  metrics.readCounter('tallystick_log_dropped_total', () =>
    Object.entries(writers).map(([stream, writer]) => ({ labels: { stream }, value: writer.dropped() })),
  )
  addProcessMetrics(metrics)
  return addEventLoopDelay(metrics)
}

function addProcessMetrics(metrics: Metrics): void {
  metrics.readCounter('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return [{ value: (user + system) / 1e6 }]
  })
  metrics.gauge('process_resident_memory_bytes', () => [{ value: process.memoryUsage.rss() }])
  metrics.gauge('process_start_time_seconds', () => [{ value: performance.timeOrigin / 1000 }])
  metrics.gauge('nodejs_heap_size_used_bytes', () => [{ value: process.memoryUsage().heapUsed }])
  metrics.gauge('nodejs_heap_size_total_bytes', () => [{ value: process.memoryUsage().heapTotal }])
  metrics.gauge('nodejs_external_memory_bytes', () => [{ value: process.memoryUsage().external }])
  metrics.gauge('process_open_fds', () => seriesOf(countOpenFds))
  metrics.gauge('process_max_fds', () => seriesOf(readMaxFds))
}

/** Returns no series on systems without /proc. */
function seriesOf(read: () => number): { readonly value: number }[] {
  try {
    return [{ value: read() }]
  } catch {
    return []
  }
}

/** Linux counts them since 6.2. Before, they have to be listed, which takes milliseconds for thousands. */
function countOpenFds(): number {
  return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length
}

function readMaxFds(): number {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return Number(limit ?? Number.POSITIVE_INFINITY)
}

// Node samples a timer at this interval and counts the interval itself as delay.
const resolutionMs = 20

function addEventLoopDelay(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
  metrics.summary('tallystick_event_loop_delay_seconds', () => {
    const series = [
      { labels: { quantile: '0.5' }, value: toSeconds(delay.percentile(50)) },
      { labels: { quantile: '0.99' }, value: toSeconds(delay.percentile(99)) },
      { labels: { quantile: '1' }, value: toSeconds(delay.max) },
    ]
    delay.reset()
    return series
  })
  return () => delay.disable()
}
