import { createRandom, pick, type Random } from '../apps/sandbox/src/seed/random.ts'
import { type FaultKind, faultKinds, type PlannedFault, type ReplicaName, replicaNames } from './fault.ts'

export type Schedule = {
  readonly lengthMs: number
  /** When the clock reaches a New York boundary. */
  readonly boundariesMs: readonly number[]
  /** In the order of their starts. */
  readonly faults: readonly PlannedFault[]
}

// Before the first fault: what is measured then is what the end is compared with.
export const quietHeadMs = 30_000
// After the last: circuits close within 15 s, a failed start is tried again, the indexes catch up.
export const quietTailMs = 55_000
const firstBoundaryMs = 60_000
const boundaryEveryMs = 90_000
/** So long before a boundary the clock jumps there, and the next period is signed. */
export const jumpAheadMs = 40_000
// As dense as this every kind finds its place at five minutes, and several always overlap.
const msPerFault = 15_000

// Long enough to be seen by every caller; the first is the shortest, the second the longest.
const durationsMs: Readonly<Record<FaultKind, readonly [min: number, max: number]>> = {
  'replica-kill': [2_000, 6_000],
  'postgres-stop': [5_000, 14_000],
  'rpc-outage': [8_000, 18_000],
  reorg: [5_000, 14_000],
  'upstream-hang': [6_000, 12_000],
  'upstream-500': [5_000, 12_000],
  'upstream-garbage': [5_000, 12_000],
  'upstream-drip': [6_000, 12_000],
  'signer-outage': [20_000, 30_000],
  'clock-ahead': [12_000, 30_000],
  'clock-behind': [12_000, 30_000],
  'key-revocation': [2_000, 2_000],
  'certificate-change': [4_000, 4_000],
  'disk-full': [10_000, 16_000],
  'fd-pressure': [7_000, 12_000],
}

const upstreamKinds: readonly FaultKind[] = [
  'upstream-hang',
  'upstream-500',
  'upstream-garbage',
  'upstream-drip',
  'disk-full',
]
// What would hide the other, or make it impossible: all the rest may overlap.
const exclusive: readonly (readonly FaultKind[])[] = [
  upstreamKinds,
  ['clock-ahead', 'clock-behind'],
  ['postgres-stop', 'key-revocation'],
  ['replica-kill', 'key-revocation'],
  ['replica-kill', 'fd-pressure'],
  ['certificate-change', 'fd-pressure', 'replica-kill'],
  ['key-revocation', 'fd-pressure'],
]
// What has to be over before an excluded one begins: a start, a closed circuit.
const apartMs = 6_000
const triesMax = 2_000

/** What happens when: a pure function of seed and length. Every kind occurs at least once. */
export function planSchedule({ seed, minutes }: { readonly seed: number; readonly minutes: number }): Schedule {
  const random = createRandom(seed)
  const lengthMs = Math.round(minutes * 60_000)
  const boundariesMs = planBoundaries(lengthMs)
  const activeMs = lengthMs - quietHeadMs - quietTailMs
  const rounds = Math.max(1, Math.floor(activeMs / (msPerFault * faultKinds.length)))
  const faults: PlannedFault[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [index, kind] of faultKinds.entries()) {
      // In turns, so that two rounds hold both ways of doing it.
      const variant = ((seed + index + round) % 2) as 0 | 1
      faults.push(place(random, { kind, variant, lengthMs, boundariesMs, faults }))
    }
  }
  return { lengthMs, boundariesMs, faults: faults.sort((a, b) => a.startMs - b.startMs) }
}

function planBoundaries(lengthMs: number): readonly number[] {
  const boundaries: number[] = []
  for (let at = firstBoundaryMs; at < lengthMs - quietTailMs; at += boundaryEveryMs) boundaries.push(at)
  return boundaries
}

type Placing = {
  readonly kind: FaultKind
  readonly variant: 0 | 1
  readonly lengthMs: number
  readonly boundariesMs: readonly number[]
  readonly faults: readonly PlannedFault[]
}

function place(random: Random, placing: Placing): PlannedFault {
  for (let tries = 0; tries < triesMax; tries++) {
    const fault = propose(random, placing)
    const fits = fault.startMs >= quietHeadMs && fault.endMs <= placing.lengthMs - quietTailMs
    if (fits && !placing.faults.some((other) => collide(fault, other))) return fault
  }
  throw new Error(
    `There is no room for ${placing.kind}: a soak of this length cannot hold every fault. Give it longer.`,
  )
}

function propose(random: Random, { kind, variant, lengthMs, boundariesMs }: Placing): PlannedFault {
  const [minMs, maxMs] = durationsMs[kind]
  const durationMs = Math.round(minMs + random() * (maxMs - minMs))
  const latestMs = lengthMs - quietTailMs - durationMs
  const anywhereMs = Math.round(quietHeadMs + random() * (latestMs - quietHeadMs))
  const startMs = kind === 'signer-outage' ? beforeBoundary(random, { boundariesMs, variant }) : anywhereMs
  const endMs =
    kind === 'signer-outage' ? startMs + durationMs + (variant === 1 ? jumpAheadMs : 0) : startMs + durationMs
  return { kind, startMs, endMs, replicas: replicasOf(random, kind), variant }
}

/** Variant 0 begins when the next period is signed already, variant 1 before the clock comes near it. */
function beforeBoundary(
  random: Random,
  { boundariesMs, variant }: { readonly boundariesMs: readonly number[]; readonly variant: 0 | 1 },
): number {
  const boundaryMs = pick(random, boundariesMs)
  return boundaryMs - (variant === 0 ? 10_000 : jumpAheadMs + 5_000)
}

function replicasOf(random: Random, kind: FaultKind): readonly ReplicaName[] {
  switch (kind) {
    case 'replica-kill':
    case 'fd-pressure':
      return [pick(random, replicaNames)]
    case 'clock-ahead':
    case 'clock-behind':
      return pick(random, [['a'], ['b'], ['a', 'b']] as const)
    default:
      return replicaNames
  }
}

function collide(one: PlannedFault, other: PlannedFault): boolean {
  const isClose = one.startMs < other.endMs + apartMs && other.startMs < one.endMs + apartMs
  return isClose && areExclusive(one.kind, other.kind)
}

/** Whether the one must not begin before the other has ended. */
export function areExclusive(one: FaultKind, other: FaultKind): boolean {
  return one === other || exclusive.some((kinds) => kinds.includes(one) && kinds.includes(other))
}
