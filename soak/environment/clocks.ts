import type { ReplicaName } from '../faults/fault.ts'
import type { Span } from '../judges/ledger.ts'
import type { Offsets } from '../replica.ts'
import type { ServiceProcess } from './service-process.ts'

/** True time of the soak, and the clocks of the processes, which may differ from it. */
export type Clocks = {
  /** Returns the true time in Unix milliseconds. */
  now(): number
  /** Returns the offsets of a process's clock and of the true time from this machine's clock. */
  offsetsOf(name: string): Offsets
  /** Moves the true time and every clock with it. */
  moveTo(instantMs: number): Promise<void>
  /** Sets the error of one replica's clock. 0 corrects it. */
  step(name: ReplicaName, stepMs: number): Promise<void>
  /** Returns the possible true times between two instants of this machine. There are several while the time is moved. */
  times(span: Span): readonly Span[]
  /** Returns the possible errors of a replica's clock between two instants of this machine. */
  steps(name: ReplicaName, span: Span): readonly number[]
  /** Sets the processes whose clocks are changed. */
  setProcesses(processes: readonly ServiceProcess[]): void
}

/** Value that was possibly in use from its sending to the confirmation of the next one. */
type TimedValue = { readonly value: number; readonly fromMs: number; untilMs: number }

export function createClocks(startsAtMs: number): Clocks {
  let processes: readonly ServiceProcess[] = []
  // In whole seconds, so that the seconds of the chain and the service begin together.
  let sharedMs = toWholeSeconds(startsAtMs - Date.now())
  const stepOf = new Map<string, number>()
  const moves = createValueHistory(sharedMs)
  const stepHistories = new Map<string, ValueHistory>()
  const historyOf = (name: string) => {
    const known = stepHistories.get(name) ?? createValueHistory(0)
    stepHistories.set(name, known)
    return known
  }
  const offsetsOf = (name: string) => ({ clockMs: sharedMs + (stepOf.get(name) ?? 0), trueMs: sharedMs })
  return {
    now: () => Date.now() + sharedMs,
    offsetsOf,
    moveTo: async (instantMs) => {
      sharedMs = toWholeSeconds(instantMs - Date.now())
      const confirm = moves.begin(sharedMs)
      await Promise.all(processes.map((serviceProcess) => serviceProcess.setOffsets(offsetsOf(serviceProcess.name))))
      confirm()
    },
    step: async (name, stepMs) => {
      stepOf.set(name, stepMs)
      const confirm = historyOf(name).begin(stepMs)
      await processes.find((serviceProcess) => serviceProcess.name === name)?.setOffsets(offsetsOf(name))
      confirm()
    },
    times: (span) => moves.in(span).map((ms) => ({ fromMs: span.fromMs + ms, toMs: span.toMs + ms })),
    steps: (name, span) => historyOf(name).in(span),
    setProcesses: (given) => {
      processes = given
    },
  }
}

type ValueHistory = {
  /** Adds a value. The returned function confirms that the previous one is no longer in use. */
  begin(value: number): () => void
  /** Returns the values that were possibly in use in a span. */
  in(span: Span): readonly number[]
}

function createValueHistory(first: number): ValueHistory {
  const terms: TimedValue[] = [{ value: first, fromMs: 0, untilMs: Number.POSITIVE_INFINITY }]
  return {
    begin: (value) => {
      const last = terms.at(-1) as TimedValue
      terms.push({ value, fromMs: Date.now(), untilMs: Number.POSITIVE_INFINITY })
      return () => {
        last.untilMs = Date.now()
      }
    },
    in: ({ fromMs, toMs }) =>
      terms.filter((term) => term.fromMs <= toMs && term.untilMs >= fromMs).map(({ value }) => value),
  }
}

function toWholeSeconds(ms: number): number {
  return Math.round(ms / 1000) * 1000
}
