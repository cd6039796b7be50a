import type { Exchange } from '../judges/judge.ts'
import type { Tally } from '../judges/tally.ts'
import { formatTime, formatViolation } from '../report.ts'

/** Counts of a rolling upgrade. */
export type UpgradeRecord = {
  /** Adds a request with its result. */
  take(exchange: Exchange, served: { readonly release: string; readonly isLost: boolean }): void
  /** Adds a step, such as the replacement of a replica. */
  step(words: string, atMs: number): void
  read(): UpgradeCounts
}

type UpgradeCounts = {
  readonly steps: readonly { readonly atMs: number; readonly words: string }[]
  /** Requests and lost ones by release. */
  readonly releases: ReadonlyMap<string, { readonly requests: number; readonly lost: number }>
  /** Different bodies of `/notes`, and those that more than one release served. */
  readonly bodies: { readonly all: number; readonly shared: number }
}

export function createUpgradeRecord(): UpgradeRecord {
  const steps: { atMs: number; words: string }[] = []
  const releases = new Map<string, { requests: number; lost: number }>()
  const servedBy = new Map<string, Set<string>>()
  return {
    take: ({ endpoint, path, answer }, { release, isLost }) => {
      const { requests, lost } = releases.get(release) ?? { requests: 0, lost: 0 }
      releases.set(release, { requests: requests + 1, lost: lost + (isLost ? 1 : 0) })
      if (endpoint !== '/notes' || answer?.status !== 200) return
      const key = `${path} ${answer.body}`
      servedBy.set(key, (servedBy.get(key) ?? new Set()).add(release))
    },
    step: (words, atMs) => steps.push({ words, atMs }),
    read: () => ({
      steps,
      releases,
      bodies: { all: servedBy.size, shared: [...servedBy.values()].filter(({ size }) => size > 1).length },
    }),
  }
}

export type UpgradeReport = UpgradeCounts & {
  readonly seed: number
  readonly from: string
  readonly to: string
  readonly tally: Tally
  readonly retried: number
  readonly periods: number
  readonly lent: string
}

/** Formats the report for people. */
export function formatUpgrade(report: UpgradeReport): string {
  const { seed, from, to, steps, tally, releases, bodies, retried, periods, lent } = report
  const lines = [`rolling upgrade from ${from} to ${to} and back, seed ${seed}, notes of ${periods} periods`, '']
  for (const { atMs, words } of steps) lines.push(`  ${formatTime(atMs)}  ${words}`)
  lines.push('', 'requests')
  for (const [endpoint, statuses] of [...tally.requests].sort()) {
    const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`)
    lines.push(`  ${endpoint.padEnd(8)} ${counts.join(', ')}`)
  }
  lines.push('')
  for (const [release, { requests, lost }] of releases) lines.push(`  ${release}: ${requests} requests, ${lost} lost`)
  lines.push(`  attempts sent again to the other replica: ${retried}`)
  lines.push(`  bodies of /notes: ${bodies.all}, of which both releases served ${bodies.shared} with the same bytes`)
  lines.push('', `on the chains: ${lent}`)
  const lost = [...releases.values()].reduce((sum, counts) => sum + counts.lost, 0)
  const count = tally.violations.reduce((sum, { times }) => sum + times, 0)
  lines.push('', `lost requests: ${lost}`, `violations: ${count}`)
  for (const violation of tally.violations) lines.push(`  ${formatViolation(violation)} (${violation.times} times)`)
  return lines.join('\n')
}

/** Encodes the report for programs. */
export function encodeUpgrade({ tally, releases, ...report }: UpgradeReport): object {
  const requests = Object.fromEntries(
    [...tally.requests].map(([endpoint, statuses]) => [endpoint, Object.fromEntries(statuses)]),
  )
  return { ...report, releases: Object.fromEntries(releases), requests, violations: tally.violations }
}
