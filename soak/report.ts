import { type AlertReport, formatAlerts } from './alerts/report-alert.ts'
import type { Schedule } from './faults/schedule.ts'
import type { EndReport } from './judges/end-checks.ts'
import { formatMegabytes } from './judges/growth.ts'
import { type Latency, phases } from './judges/latency.ts'
import type { Tally, Violation } from './judges/tally.ts'

export type Report = {
  readonly seed: number
  readonly minutes: number
  /** Version and origin of PostgreSQL. */
  readonly database: string
  readonly schedule: Schedule
  readonly tally: Tally
  readonly lent: string
  readonly periods: number
  /** Maximum delay of the soak's own event loop. More than a second means that the machine is overloaded. */
  readonly lateMs: number
  readonly latency: ReturnType<Latency['read']>
  readonly end: EndReport | undefined
  /** Undefined without `--alerts`. */
  readonly alerts?: readonly AlertReport[] | undefined
}

/** Formats the report for people. */
export function formatReport(report: Report): string {
  const { seed, minutes, database, schedule, tally, lent, periods, latency, lateMs, end, alerts } = report
  const { faults, requests, violations } = tally
  const lines = [
    `soak of ${minutes} min, seed ${seed}, ${schedule.boundariesMs.length} boundaries, notes of ${periods} periods`,
    `database: ${database}`,
    '',
  ]
  lines.push(`faults injected: ${faults.filter(({ skipped }) => skipped === undefined).length}`)
  for (const { kind, replicas, startedMs, endedMs, skipped } of faults) {
    const when = `${formatTime(startedMs)} to ${endedMs === undefined ? '…' : formatTime(endedMs)}`
    lines.push(
      `  ${kind.padEnd(19)} ${when}  ${replicas.join(', ')}${skipped === undefined ? '' : `  NOT INJECTED: ${skipped}`}`,
    )
  }
  lines.push('', 'requests')
  for (const [endpoint, statuses] of [...requests].sort()) {
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    lines.push(
      `  ${endpoint.padEnd(8)} ${String(total).padStart(7)}   ${[...statuses]
        .sort()
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')}`,
    )
  }
  lines.push('', `latency of /notes: ${formatLatency(latency)}`)
  lines.push('', `on the chains: ${lent}`)
  for (const { chain, onChain } of end?.positions ?? [])
    lines.push(`  chain ${chain}: ${onChain} positions compared on both replicas`)
  lines.push('', 'resources before the first fault and at the end, without load, after a garbage collection')
  for (const { name, before, after } of end?.growth ?? []) {
    const heap = `${formatMegabytes(before.heapBytes)} to ${formatMegabytes(after.heapBytes)}`
    const rss = `${formatMegabytes(before.rssBytes)} to ${formatMegabytes(after.rssBytes)}`
    lines.push(
      `  ${name.padEnd(8)} heap ${heap}, resident ${rss}, descriptors ${before.descriptors} to ${after.descriptors}`,
    )
  }
  if (end) lines.push(`  PostgreSQL connections ${end.connections.before} to ${end.connections.after}`)
  lines.push(`  maximum event loop delay of the soak itself: ${Math.round(lateMs)} ms`)
  if (alerts) lines.push('', ...formatAlerts(alerts))
  const count = violations.reduce((sum, { times }) => sum + times, 0)
  lines.push('', `violations: ${count}`)
  for (const violation of violations)
    lines.push(`  ${formatViolation(violation)}${violation.times > 1 ? ` (${violation.times} times)` : ''}`)
  return lines.join('\n')
}

/** Encodes the report for programs. */
export function encodeReport({
  seed,
  minutes,
  database,
  tally,
  periods,
  latency,
  lateMs,
  end,
  alerts,
}: Report): object {
  const requests = Object.fromEntries(
    [...tally.requests].map(([endpoint, statuses]) => [endpoint, Object.fromEntries(statuses)]),
  )
  const { faults, violations } = tally
  return {
    seed,
    minutes,
    database,
    periods,
    latency,
    lateMs,
    faults,
    requests,
    violations,
    ...end,
    ...(alerts && { alerts }),
  }
}

const phaseWords = {
  calm: 'without faults',
  hostile: 'with hostile queries',
  pause: 'in their pauses',
} as const

function formatLatency(latency: Report['latency']): string {
  return phases
    .map((phase) => {
      const { count, p50Ms, p95Ms } = latency[phase]
      return `${phaseWords[phase]} p50 ${p50Ms} ms, p95 ${p95Ms} ms (${count})`
    })
    .join('; ')
}

export function formatViolation({ atMs, words, during }: Violation): string {
  return `${formatTime(atMs)} ${words}${during.length === 0 ? '' : ` [${during.join('; ')}]`}`
}

export function formatTime(ms: number): string {
  const tenths = Math.round(ms / 100)
  return `${String(Math.floor(tenths / 600)).padStart(2, '0')}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`
}
