import { setTimeout } from 'node:timers/promises'
import type { Clocks } from './clocks.ts'
import type { InjectedFault } from './fault.ts'
import type { Latency } from './latency.ts'
import type { Member } from './member.ts'
import type { Tallied } from './tally.ts'
import type { World } from './world.ts'

/** Ends a fault. */
export type Ending = () => Promise<void>

export type Injector = {
  readonly world: World
  readonly clocks: Clocks
  readonly onViolation: (words: string) => void
  /** What was answered to somebody without a key. */
  readonly onStranger: (made: Pick<Tallied, 'endpoint' | 'answer'>) => void
  readonly latency: Pick<Latency, 'enter'>
  readonly faults: () => readonly InjectedFault[]
  readonly elapsedMs: () => number
  readonly isStopped: () => boolean
}

/** A fault that this machine does not let us inject. */
export class CannotInjectError extends Error {
  override readonly name = 'CannotInjectError' as const
}

// The database may be away for a while first; a start takes some seconds on a busy machine.
const startMs = 90_000

/** A process that does not come back is a violation, and nothing to wait for. */
export async function startAgain({ onViolation }: Injector, member: Member): Promise<void> {
  const isLate = await Promise.race([member.start(), setTimeout(startMs, true, { ref: false })])
  if (isLate) onViolation(`${member.name} is not ready ${startMs / 1000} s after its start`)
}
