import { setTimeout } from 'node:timers/promises'
import { periodAfter, periodAt } from '@tallystick/core'
import type { Clocks } from '../environment/clocks.ts'
import type { Tally } from '../judges/tally.ts'
import { areExclusive } from './exclusive-faults.ts'
import type { FaultKind, PlannedFault } from './fault.ts'
import { inject } from './inject.ts'
import { CannotInjectError, type Injector } from './injector.ts'
import { jumpAheadMs, type Schedule } from './schedule.ts'

export type TimelineParts = Omit<Injector, 'follow'> & {
  readonly schedule: Schedule
  readonly tally: Tally
  /** Time since when the notes of a period can be signed, by its start. Filled when the clock comes near it. */
  readonly signableSinceMs: Map<bigint, number>
}

/** Runs the schedule. Resolves when every fault has ended and the time is over. */
export async function runTimeline(parts: TimelineParts): Promise<void> {
  const { schedule, onViolation } = parts
  const followed: Promise<void>[] = []
  const follow = (work: Promise<void>) => {
    followed.push(work.catch((error: Error) => onViolation(`error of the soak after a fault: ${error.message}`)))
  }
  const faults: { readonly kind: FaultKind; readonly ended: Promise<void> }[] = []
  for (const fault of schedule.faults) {
    const earlier = faults.filter(({ kind }) => areExclusive(kind, fault.kind)).map(({ ended }) => ended)
    faults.push({
      kind: fault.kind,
      ended: runFault({ ...parts, follow }, { ...fault, earlier: Promise.all(earlier) }),
    })
  }
  await Promise.all([
    ...schedule.boundariesMs.map((boundaryMs) => moveToBoundary(parts, boundaryMs)),
    ...faults.map(({ ended }) => ended),
    until(parts, schedule.lengthMs),
  ])
  await Promise.all(followed)
}

/** Moves the clock inside its period so that the boundary comes at the planned time. */
async function moveToBoundary(parts: TimelineParts, boundaryMs: number): Promise<void> {
  const { clocks, environment, elapsedMs, signableSinceMs } = parts
  await until(parts, Math.max(0, boundaryMs - jumpAheadMs))
  if (parts.isStopped()) return
  const period = currentPeriod(clocks)
  signableSinceMs.set(periodAfter(period).start, elapsedMs())
  await clocks.moveTo(Number(period.end) * 1000 - (boundaryMs - elapsedMs()))
  await Promise.all(environment.chains.map((chain) => chain.follow()))
}

function currentPeriod(clocks: Clocks) {
  return periodAt(BigInt(Math.floor(clocks.now() / 1000)))
}

/** Runs one fault after `earlier` has ended, because on a slow machine the end of a fault can take longer than planned. */
async function runFault(
  parts: TimelineParts & Pick<Injector, 'follow'>,
  { earlier, ...fault }: PlannedFault & { readonly earlier: Promise<unknown> },
): Promise<void> {
  const { tally, elapsedMs, onViolation } = parts
  const { kind, replicas, variant } = fault
  await until(parts, fault.startMs)
  await earlier
  if (parts.isStopped()) return
  const endMs = elapsedMs() + fault.endMs - fault.startMs
  const end = tally.begin({ kind, replicas, variant, startedMs: elapsedMs() })
  try {
    const ending = await inject(parts, fault)
    await until(parts, endMs)
    await ending()
    end({ endedMs: elapsedMs() })
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    if (error instanceof CannotInjectError) end({ endedMs: elapsedMs(), skipped: words })
    else {
      // A fault without an end would explain every later failure.
      end({ endedMs: elapsedMs() })
      onViolation(`error of the soak at ${kind}: ${words}`)
    }
  }
}

const pollMs = 200

async function until({ elapsedMs, isStopped }: TimelineParts, atMs: number): Promise<void> {
  while (!isStopped() && elapsedMs() < atMs) await setTimeout(Math.max(1, Math.min(pollMs, atMs - elapsedMs())))
}
