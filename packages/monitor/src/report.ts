import type { Finding } from './finding.ts'
import type { MonitorState } from './monitor-state.ts'

/** A line of the monitor's output. */
export type MonitorEvent =
  | { readonly event: 'start'; readonly message: string; readonly origin: string }
  | { readonly event: 'progress' | 'signer' | 'warning' | 'recovered' | 'info' | 'done'; readonly message: string }
  | {
      readonly event: 'period'
      readonly message: string
      readonly chainId: string
      readonly periodStart: string
      readonly index: number
    }
  | ({ readonly event: 'finding' } & Finding)

// A finding has about 1 kB.
const recentMax = 500

/** Adds a finding to the state. Returns false if it is known already. */
export function addFinding({ findings }: MonitorState, finding: Finding, nowMs: number): boolean {
  const { kind, subject, message } = finding
  if (findings.recent.some((known) => known.kind === kind && known.subject === subject)) return false
  findings.counts[kind] = (findings.counts[kind] ?? 0) + 1
  findings.recent.push({ kind, subject, message, at: new Date(nowMs).toISOString() })
  if (findings.recent.length > recentMax) findings.recent.shift()
  return true
}

/** Formats an event as one line: for people, or as JSON. */
export function formatEvent(event: MonitorEvent, { json, nowMs }: { readonly json: boolean; readonly nowMs: number }) {
  const at = new Date(nowMs).toISOString()
  if (json) return JSON.stringify({ at, ...event })
  return `${at} ${formatText(event)}`.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

function formatText(event: MonitorEvent): string {
  if (event.event === 'finding') return `FINDING ${event.kind}: ${event.message}`
  return event.event === 'warning' ? `WARNING ${event.message}` : event.message
}
