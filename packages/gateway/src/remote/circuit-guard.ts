import type { Time, Timer } from '@tallystick/base'
import { type Call, type CallOutcome, circuitEventOf, finishHeadQuery } from './begin-call.ts'
import { type Circuit, type CircuitEvent, circuitAfter, closedCircuit } from './circuit.ts'

export type CircuitGuard = {
  readonly circuit: Circuit
  /** Time until an open circuit is probed, otherwise 0. */
  readonly openForMs: number
  /** Records the outcome of a caller's query. */
  record(outcome: CallOutcome): void
  /** Records that it did not answer in time. */
  recordHang(): void
  close(): void
}

type CircuitGuardOptions = {
  /** Begins a query of the head. */
  readonly beginProbe: () => Call
  readonly timeoutMs: number
  readonly onChange: (change: { readonly before: Circuit; readonly after: Circuit }) => void
  readonly time: Pick<Time, 'monotonic' | 'setTimer'>
}

/**
 * Creates the circuit breaker of one upstream. It sends a probe when the circuit becomes suspect and when the backoff
 * ends. It does not wait for a caller's query, which an open circuit would reject.
 */
export function createCircuitGuard({ beginProbe, timeoutMs, onChange, time }: CircuitGuardOptions): CircuitGuard {
  let circuit: Circuit = closedCircuit
  let timer: Timer | undefined
  let isProbing = false
  let isClosed = false

  const apply = (event: CircuitEvent) => {
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
    apply({ kind: 'probe_started' })
    const event = circuitEventOf(await finishHeadQuery(beginProbe(), { time, timeoutMs }))
    isProbing = false
    if (event?.kind === 'throttled') apply({ kind: 'probe_failed', forMs: event.forMs })
    else apply({ kind: event?.kind === 'failed' ? 'probe_failed' : 'probe_succeeded' })
  }
  return {
    get circuit() {
      return circuit
    },
    get openForMs() {
      return circuit.state === 'open' ? Math.max(0, circuit.openUntilMs - time.monotonic()) : 0
    },
    record: (outcome) => {
      const event = circuitEventOf(outcome)
      if (event) apply(event)
    },
    recordHang: () => apply({ kind: 'failed' }),
    close: () => {
      isClosed = true
      timer?.stop()
    },
  }
}
