import { backoffMs } from '@tallystick/core/retry/backoff-ms'

/**
 * Whether an upstream is asked at all. `closed`: it is. `open`: it rests. `probing`: it has rested, and one light query
 * finds out whether it is well. A closed circuit is `isSuspect` while such a query looks into a row of failures.
 */
export type Circuit =
  | {
      readonly state: 'closed'
      readonly failures: number
      readonly isSuspect: boolean
      /** Until then failures do not count: a light query has just been answered. */
      readonly trustedUntilMs: number
      readonly openings: number
    }
  | { readonly state: 'open'; readonly restsUntilMs: number; readonly openings: number }
  | { readonly state: 'probing'; readonly openings: number }

export type CircuitEvent =
  /** A caller's query was answered, or rejected for what it is. */
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed' }
  /** The upstream asked to be left alone. */
  | { readonly kind: 'sent_away'; readonly forMs: number }
  | { readonly kind: 'probe_started' }
  | { readonly kind: 'probe_succeeded' }
  | { readonly kind: 'probe_failed'; readonly forMs?: number | undefined }

/**
 * So many failures in a row make the upstream suspect. Few, because a wrong suspicion costs one light query; more than
 * one, because a single reset or 502 is what every restart behind a load balancer looks like.
 */
export const failuresMax = 3
// A restart is over within seconds. However long an outage, its end is noticed within 15 s, which is no load for anybody.
const backoff = { minMs: 500, maxMs: 15_000 }
// Slow queries can fail in a row while the light one succeeds: they are not worth a probe each time.
const trustMs = 1_000

export const closedCircuit = {
  state: 'closed',
  failures: 0,
  isSuspect: false,
  trustedUntilMs: 0,
  openings: 0,
} as const satisfies Circuit

/**
 * The circuit after an event. Callers' queries never open it by failing: whoever may send queries could then shut a chain
 * for everybody by sending such as fail. They raise a suspicion, and the light query, which no caller can spoil, decides.
 */
export function circuitAfter(
  circuit: Circuit,
  { event, atMs }: { readonly event: CircuitEvent; readonly atMs: number },
): Circuit {
  if (event.kind === 'sent_away') return sentAway(circuit, { forMs: event.forMs, atMs })
  switch (circuit.state) {
    case 'closed':
      return closedAfter(circuit, { event, atMs })
    case 'open':
      return event.kind === 'probe_started' ? { state: 'probing', openings: circuit.openings } : circuit
    case 'probing':
      return probedAfter(circuit, { event, atMs })
  }
}

function closedAfter(
  circuit: Extract<Circuit, { state: 'closed' }>,
  { event, atMs }: { readonly event: CircuitEvent; readonly atMs: number },
): Circuit {
  switch (event.kind) {
    case 'succeeded':
      return closedCircuit
    case 'failed': {
      if (atMs < circuit.trustedUntilMs) return circuit
      const failures = circuit.failures + 1
      return { ...circuit, failures, isSuspect: failures >= failuresMax }
    }
    case 'probe_succeeded':
      return { ...circuit, failures: 0, isSuspect: false, trustedUntilMs: atMs + trustMs }
    case 'probe_failed':
      // A query that succeeded while the probe was under way speaks against it.
      return circuit.isSuspect
        ? open(circuit, { forMs: event.forMs, atMs })
        : { ...circuit, failures: circuit.failures + 1 }
    default:
      return circuit
  }
}

function probedAfter(
  circuit: Circuit,
  { event, atMs }: { readonly event: CircuitEvent; readonly atMs: number },
): Circuit {
  switch (event.kind) {
    case 'probe_succeeded':
      // How long it rests next is forgotten only when a caller's query succeeds: a probe may be all it can answer.
      return { ...closedCircuit, trustedUntilMs: atMs + trustMs, openings: circuit.openings }
    case 'probe_failed':
      return open(circuit, { forMs: event.forMs, atMs })
    default:
      return circuit
  }
}

/** Queries that were under way together are sent away together: only the first makes the next rest longer. */
function sentAway(circuit: Circuit, { forMs, atMs }: { readonly forMs: number; readonly atMs: number }): Circuit {
  if (circuit.state !== 'open') return open(circuit, { forMs, atMs })
  return { ...circuit, restsUntilMs: Math.max(circuit.restsUntilMs, atMs + forMs) }
}

function open(
  { openings }: Circuit,
  { forMs, atMs }: { readonly forMs: number | undefined; readonly atMs: number },
): Circuit {
  return {
    state: 'open',
    restsUntilMs: atMs + Math.max(backoffMs(openings, backoff), forMs ?? 0),
    openings: openings + 1,
  }
}
