import { backoffMs } from '@tallystick/base/pure'

/**
 * Circuit breaker of an upstream. `closed`: queries are sent. `open`: none are sent until `openUntilMs`. `probing`: a probe
 * checks whether the upstream has recovered. A closed circuit is `isSuspect` while a probe follows several failures.
 */
export type Circuit =
  | {
      readonly state: 'closed'
      readonly failures: number
      readonly isSuspect: boolean
      /** Failures before this instant do not count, because a probe has just succeeded. */
      readonly trustedUntilMs: number
      readonly openings: number
    }
  | { readonly state: 'open'; readonly openUntilMs: number; readonly openings: number }
  | { readonly state: 'probing'; readonly openings: number }

export type CircuitEvent =
  /** The upstream answered a query, or rejected it as invalid. */
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed' }
  /** The upstream sent Retry-After. */
  | { readonly kind: 'throttled'; readonly forMs: number }
  | { readonly kind: 'probe_started' }
  | { readonly kind: 'probe_succeeded' }
  | { readonly kind: 'probe_failed'; readonly forMs?: number | undefined }

/**
 * Consecutive failures that trigger a probe. Low, because a needless probe is cheap. More than one, because every restart
 * behind a load balancer causes a reset or a 502.
 */
export const failuresMax = 3
// A restart takes seconds. After a long outage, recovery is detected within 15 s.
const backoff = { minMs: 500, maxMs: 15_000 }
// Limits the probes while slow queries fail and probes succeed.
const trustMs = 1_000

export const closedCircuit = {
  state: 'closed',
  failures: 0,
  isSuspect: false,
  trustedUntilMs: 0,
  openings: 0,
} as const satisfies Circuit

/**
 * Returns the circuit after an event. Failed queries alone never open it: otherwise a caller could disable a chain by
 * sending queries that fail. They trigger a probe, which callers cannot influence.
 */
export function circuitAfter(
  circuit: Circuit,
  { event, atMs }: { readonly event: CircuitEvent; readonly atMs: number },
): Circuit {
  if (event.kind === 'throttled') return throttledAfter(circuit, { forMs: event.forMs, atMs })
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
      // A query that succeeded during the probe overrides its failure.
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
      // Only a successful query of a caller resets the backoff: the upstream may answer nothing but probes.
      return { ...closedCircuit, trustedUntilMs: atMs + trustMs, openings: circuit.openings }
    case 'probe_failed':
      return open(circuit, { forMs: event.forMs, atMs })
    default:
      return circuit
  }
}

/** Opens the circuit. Several throttled queries count as one opening, because they ran in parallel. */
function throttledAfter(circuit: Circuit, { forMs, atMs }: { readonly forMs: number; readonly atMs: number }): Circuit {
  if (circuit.state !== 'open') return open(circuit, { forMs, atMs })
  return { ...circuit, openUntilMs: Math.max(circuit.openUntilMs, atMs + forMs) }
}

function open(
  { openings }: Circuit,
  { forMs, atMs }: { readonly forMs: number | undefined; readonly atMs: number },
): Circuit {
  return {
    state: 'open',
    openUntilMs: atMs + Math.max(backoffMs(openings, backoff), forMs ?? 0),
    openings: openings + 1,
  }
}
