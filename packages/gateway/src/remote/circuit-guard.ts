import type { Time, Timer } from '@tallystick/base'
import { type Circuit, type CircuitEvent, circuitAfter, closedCircuit } from './circuit.ts'

export type ProbeResult =
  | { readonly isHealthy: true }
  | { readonly isHealthy: false; readonly forMs: number | undefined }

export type CircuitGuard = {
  readonly circuit: Circuit
  /** Time until an open circuit is probed, otherwise 0. */
  readonly openForMs: number
  record(event: CircuitEvent): void
  close(): void
}

type CircuitGuardOptions = {
  /** Does not throw. */
  readonly probe: () => Promise<ProbeResult>
  readonly onChange: (change: { readonly before: Circuit; readonly after: Circuit }) => void
  readonly time: Pick<Time, 'monotonic' | 'setTimer'>
}

/**
 * Creates the circuit breaker of one upstream. It sends a probe when the circuit becomes suspect and when the backoff
 * ends. It does not wait for a caller's query, which an open circuit would reject.
 */
export function createCircuitGuard({ probe, onChange, time }: CircuitGuardOptions): CircuitGuard {
  let circuit: Circuit = closedCircuit
  let timer: Timer | undefined
  let isProbing = false
  let isClosed = false

  const record = (event: CircuitEvent) => {
    if (isClosed) return
    const before = circuit
    circuit = circuitAfter(circuit, { event, atMs: time.monotonic() })
    if (before.state !== circuit.state) onChange({ before, after: circuit })
    timer?.stop()
    if (circuit.state === 'closed' && circuit.isSuspect) void runProbe()
    if (circuit.state !== 'open') return
    timer = time.setTimer({ name: 'subgraph probe', ms: circuit.openUntilMs - time.monotonic() }, runProbe)
  }
  const runProbe = async () => {
    if (isProbing) return
    isProbing = true
    record({ kind: 'probe_started' })
    const result = await probe()
    isProbing = false
    record(result.isHealthy ? { kind: 'probe_succeeded' } : { kind: 'probe_failed', forMs: result.forMs })
  }
  return {
    get circuit() {
      return circuit
    },
    get openForMs() {
      return circuit.state === 'open' ? Math.max(0, circuit.openUntilMs - time.monotonic()) : 0
    },
    record,
    close: () => {
      isClosed = true
      timer?.stop()
    },
  }
}
