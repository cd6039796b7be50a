import { setTimeout } from 'node:timers/promises'
import { periodAfter, periodAt } from '@tallystick/core'
import type { Clocks } from './clocks.ts'
import type { FaultKind, PlannedFault } from './fault.ts'
import { inject } from './inject.ts'
import { CannotInjectError, type Injector } from './injector.ts'
import { areExclusive, jumpAheadMs, type Schedule } from './schedule.ts'
import type { Tally } from './tally.ts'

export type TimelineParts = Injector & {
  readonly schedule: Schedule
  readonly tally: Tally
  /** Since when the notes of a period could be signed; filled as the clock comes near them. */
  readonly signableSinceMs: Map<bigint, number>
}

/** Lets the schedule happen. Resolves when every fault has ended and the time is over. */
export async function runTimeline(parts: TimelineParts): Promise<void> {
  const { schedule } = parts
  const faults: { readonly kind: FaultKind; readonly ended: Promise<void> }[] = []
  for (const fault of schedule.faults) {
    const earlier = faults.filter(({ kind }) => areExclusive(kind, fault.kind)).map(({ ended }) => ended)
    faults.push({ kind: fault.kind, ended: happen(parts, { ...fault, earlier: Promise.all(earlier) }) })
  }
  await Promise.all([
    ...schedule.boundariesMs.map((boundaryMs) => approach(parts, boundaryMs)),
    ...faults.map(({ ended }) => ended),
    until(parts, schedule.lengthMs),
  ])
}

/** Moves the clock, inside its period, to where the boundary comes when the schedule says. */
async function approach(parts: TimelineParts, boundaryMs: number): Promise<void> {
  const { clocks, world, elapsedMs, signableSinceMs } = parts
  await until(parts, Math.max(0, boundaryMs - jumpAheadMs))
  if (parts.isStopped()) return
  const period = currentPeriod(clocks)
  signableSinceMs.set(periodAfter(period).start, elapsedMs())
  await clocks.moveTo(Number(period.end) * 1000 - (boundaryMs - elapsedMs()))
  await Promise.all(world.chains.map((chain) => chain.follow()))
}

function currentPeriod(clocks: Clocks) {
  return periodAt(BigInt(Math.floor(clocks.now() / 1000)))
}

/** On a slow machine an end takes longer than planned, a process that is started again most of all: `earlier` is waited for. */
async function happen(
  parts: TimelineParts,
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
      // What lasts for ever would explain everything after it.
      end({ endedMs: elapsedMs() })
      onViolation(`the soak itself failed at ${kind}: ${words}`)
    }
  }
}

const lookMs = 200

async function until({ elapsedMs, isStopped }: TimelineParts, atMs: number): Promise<void> {
  while (!isStopped() && elapsedMs() < atMs) await setTimeout(Math.max(1, Math.min(lookMs, atMs - elapsedMs())))
}
