import { type Circuit, type CircuitEvent, circuitAfter, closedCircuit } from './circuit.ts'

export type ProbeResult = { readonly isWell: true } | { readonly isWell: false; readonly forMs: number | undefined }

export type CircuitGuard = {
  readonly circuit: Circuit
  /** How long an open one rests from now on, else 0. */
  readonly restMs: number
  tell(event: CircuitEvent): void
  close(): void
}

/**
 * Keeps the circuit of one upstream, and sends the light query when it is due: at once on suspicion, and after each rest
 * without waiting for a caller, who would be refused by a circuit that only looks shut.
 */
export function createCircuitGuard({
  probe,
  onChange,
  monotonicNow,
}: {
  /** Does not throw. */
  readonly probe: () => Promise<ProbeResult>
  readonly onChange: (change: { readonly before: Circuit; readonly after: Circuit }) => void
  readonly monotonicNow: () => number
}): CircuitGuard {
  let circuit: Circuit = closedCircuit
  let timer: NodeJS.Timeout | undefined
  let isProbing = false
  let isOver = false

  const tell = (event: CircuitEvent) => {
    if (isOver) return
    const before = circuit
    circuit = circuitAfter(circuit, { event, atMs: monotonicNow() })
    if (before.state !== circuit.state) onChange({ before, after: circuit })
    clearTimeout(timer)
    if (circuit.state === 'closed' && circuit.isSuspect) void look()
    if (circuit.state !== 'open') return
    timer = setTimeout(look, circuit.restsUntilMs - monotonicNow())
    timer.unref()
  }
  const look = async () => {
    if (isProbing) return
    isProbing = true
    tell({ kind: 'probe_started' })
    const result = await probe()
    isProbing = false
    tell(result.isWell ? { kind: 'probe_succeeded' } : { kind: 'probe_failed', forMs: result.forMs })
  }
  return {
    get circuit() {
      return circuit
    },
    get restMs() {
      return circuit.state === 'open' ? Math.max(0, circuit.restsUntilMs - monotonicNow()) : 0
    },
    tell,
    close: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
