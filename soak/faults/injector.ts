import { setTimeout } from 'node:timers/promises'
import type { Clocks } from '../environment/clocks.ts'
import type { SoakEnvironment } from '../environment/environment.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import type { Latency } from '../judges/latency.ts'
import type { CountedRequest } from '../judges/tally.ts'
import type { InjectedFault } from './fault.ts'

/** Function that ends a fault. */
export type EndFault = () => Promise<void>

export type Injector = {
  readonly environment: SoakEnvironment
  readonly clocks: Clocks
  readonly onViolation: (message: string) => void
  /** Called for each response to a request without a key. */
  readonly onPublicRequest: (made: Pick<CountedRequest, 'endpoint' | 'answer'>) => void
  readonly latency: Pick<Latency, 'enter'>
  readonly faults: () => readonly InjectedFault[]
  readonly elapsedMs: () => number
  /** Takes work that goes on after the end of its fault. The timeline waits for it. */
  readonly follow: (work: Promise<void>) => void
  readonly isStopped: () => boolean
}

/** Thrown for a fault that cannot be injected on this machine. */
export class CannotInjectError extends Error {
  override readonly name = 'CannotInjectError' as const
}

// The database may be unavailable first, and a start takes some seconds on a busy machine.
const startMs = 90_000

/** Starts a process again. Reports a violation and returns if it does not become ready in time. */
export async function restart({ onViolation }: Injector, serviceProcess: ServiceProcess): Promise<void> {
  const isLate = await Promise.race([serviceProcess.start(), setTimeout(startMs, true, { ref: false })])
  if (isLate) onViolation(`${serviceProcess.name} is not ready ${startMs / 1000} s after its start`)
}
