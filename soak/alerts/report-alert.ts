import type { Firing } from './start-prometheus.ts'

/** What became of an alert. */
export type AlertReport = {
  readonly alert: string
  /** How often it fired. */
  readonly times: number
  /** Faults and injections during which it fired. */
  readonly during: readonly string[]
  /** Why it did not fire, or undefined if it did. */
  readonly missing?: string | undefined
}

/** Time of a fault or an injection, and the processes that it affects. */
export type AlertSpan = {
  readonly name: string
  readonly instances: readonly string[]
  readonly fromMs: number
  readonly toMs: number
}

// Refusals and failures stay in their window, and a `for` delays the start.
const afterMs = 30_000

/** Reports how often an alert fired, and during which faults. */
export function reportAlert(
  alert: string,
  { firings, spans }: { readonly firings: readonly Firing[]; readonly spans: readonly AlertSpan[] },
): AlertReport {
  const own = firings.filter((firing) => firing.alert === alert)
  if (own.length === 0) return { alert, times: 0, during: [], missing: 'no fault of this run caused it' }
  const during = spans.filter(({ instances, fromMs, toMs }) =>
    own.some(
      (firing) => instances.includes(firing.instance) && firing.fromMs >= fromMs && firing.fromMs <= toMs + afterMs,
    ),
  )
  return { alert, times: own.length, during: [...new Set(during.map(({ name }) => name))] }
}

/** Formats the alerts for people. */
export function formatAlerts(reports: readonly AlertReport[]): string[] {
  const fired = reports.filter(({ missing }) => missing === undefined).length
  return [
    `alerts: ${fired} of ${reports.length} fired`,
    ...reports.map(({ alert, times, during, missing }) => {
      const words = missing === undefined ? `${times} times: ${during.join(', ') || 'load'}` : `NOT FIRED: ${missing}`
      return `  ${alert.padEnd(32)} ${words}`
    }),
  ]
}
