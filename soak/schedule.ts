import { createRandom, pick, type Random } from '@tallystick/sandbox'
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
const durationsMs: Readonly<Record<Exclude<FaultKind, BoundKind>, readonly [min: number, max: number]>> = {
  'replica-kill': [2_000, 6_000],
  'postgres-stop': [5_000, 14_000],
  'rpc-outage': [8_000, 18_000],
  reorg: [5_000, 14_000],
  'upstream-hang': [6_000, 12_000],
  'upstream-500': [5_000, 12_000],
  'upstream-garbage': [5_000, 12_000],
  'upstream-drip': [6_000, 12_000],
  'key-revocation': [2_000, 2_000],
  'certificate-change': [4_000, 4_000],
  'disk-full': [10_000, 16_000],
  'fd-pressure': [7_000, 12_000],
  'hostile-queries': [20_000, 26_000],
}

type BoundKind = 'database-restore' | 'signer-outage' | 'clock-ahead' | 'clock-behind'
type Range = readonly [min: number, max: number]

/** When a database is put back to its copy, from the boundary before which its periods are signed. */
export const restoreAtMs = { 0: -15_000, 1: 5_000 } as const

// Those that mean something only at a boundary: when each way of doing it begins and ends, from there.
const spans: Readonly<Record<BoundKind, readonly [{ from: Range; to: Range }, { from: Range; to: Range }]>> = {
  // The copy is made before the next period is signed and put back after it. Replicas that run on compare what they have
  // with the database every minute, those that are started compare it at once.
  'database-restore': [
    { from: [-55_000, -53_000], to: [90_000, 90_000] },
    { from: [-55_000, -53_000], to: [70_000, 70_000] },
  ],
  // When the next period is signed already; before the clock comes near it.
  'signer-outage': [
    { from: [-10_000, -10_000], to: [10_000, 20_000] },
    { from: [-jumpAheadMs - 5_000, -jumpAheadMs - 5_000], to: [15_000, 25_000] },
  ],
  // Five minutes, while true and wrong time are on the two sides of the boundary; a day, while the next period is signed.
  'clock-ahead': [
    { from: [-25_000, -10_000], to: [4_000, 10_000] },
    { from: [-jumpAheadMs - 5_000, -jumpAheadMs - 3_000], to: [5_000, 10_000] },
  ],
  'clock-behind': [
    { from: [-10_000, -4_000], to: [10_000, 20_000] },
    { from: [-jumpAheadMs - 5_000, -jumpAheadMs - 3_000], to: [2_000, 10_000] },
  ],
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
  ['clock-ahead', 'database-restore'],
  ['clock-behind', 'database-restore'],
  ['signer-outage', 'database-restore'],
  ['postgres-stop', 'database-restore'],
  ['key-revocation', 'database-restore'],
  ['certificate-change', 'database-restore'],
  ['replica-kill', 'fd-pressure', 'hostile-queries', 'database-restore'],
]
// What has to be over before an excluded one begins: a start, a closed circuit.
const apartMs = 6_000
const triesMax = 200
const plansMax = 500

/** What happens when: a pure function of seed and length. Every kind occurs at least once. */
export function planSchedule({ seed, minutes }: { readonly seed: number; readonly minutes: number }): Schedule {
  const random = createRandom(seed)
  const lengthMs = Math.round(minutes * 60_000)
  const boundariesMs = planBoundaries(lengthMs)
  for (let plans = 0; plans < plansMax; plans++) {
    const faults = planFaults(random, { seed, lengthMs, boundariesMs })
    if (faults) return { lengthMs, boundariesMs, faults: [...faults].sort((a, b) => a.startMs - b.startMs) }
  }
  throw new Error(`A soak of ${minutes} minutes cannot hold every fault. Give it longer.`)
}

type Length = Pick<Schedule, 'lengthMs' | 'boundariesMs'>

/** Undefined if one of them found no room. */
function planFaults(
  random: Random,
  { seed, ...length }: Length & { readonly seed: number },
): readonly PlannedFault[] | undefined {
  const activeMs = length.lengthMs - quietHeadMs - quietTailMs
  const rounds = Math.max(1, Math.floor(activeMs / (msPerFault * faultKinds.length)))
  const faults: PlannedFault[] = []
  for (let round = 0; round < rounds; round++) {
    for (const [index, kind] of placingOrder.entries()) {
      // Takes two minutes: one for every second of the others.
      if (kind === 'database-restore' && round % 2 === 1) continue
      // In turns, so that two rounds hold both ways of doing it.
      const variant = ((seed + index + (kind === 'database-restore' ? round / 2 : round)) % 2) as 0 | 1
      const fault = place(random, { kind, variant, ...length, faults })
      if (!fault) return undefined
      faults.push(fault)
    }
  }
  return faults
}

// Those with the fewest places first.
const placingOrder: readonly FaultKind[] = faultKinds.toSorted((a, b) => Number(isBound(b)) - Number(isBound(a)))

function isBound(kind: FaultKind): kind is BoundKind {
  return kind in spans
}

function planBoundaries(lengthMs: number): readonly number[] {
  const boundaries: number[] = []
  for (let at = firstBoundaryMs; at < lengthMs - quietTailMs; at += boundaryEveryMs) boundaries.push(at)
  return boundaries
}

type Placing = Length & {
  readonly kind: FaultKind
  readonly variant: 0 | 1
  readonly faults: readonly PlannedFault[]
}

function place(random: Random, placing: Placing): PlannedFault | undefined {
  for (let tries = 0; tries < triesMax; tries++) {
    const fault = propose(random, placing)
    const fits = fault.startMs >= quietHeadMs && fault.endMs <= placing.lengthMs - quietTailMs
    if (fits && !placing.faults.some((other) => collide(fault, other))) return fault
  }
  return undefined
}

function propose(random: Random, { kind, variant, lengthMs, boundariesMs }: Placing): PlannedFault {
  const replicas = replicasOf(random, { kind, variant })
  if (isBound(kind)) {
    const boundaryMs = pick(random, boundariesMs)
    const { from, to } = spans[kind][variant]
    const [startMs, endMs] = [boundaryMs + within(random, from), boundaryMs + within(random, to)]
    return { kind, startMs, endMs, replicas, variant, boundaryMs }
  }
  const durationMs = within(random, durationsMs[kind])
  const startMs = within(random, [quietHeadMs, lengthMs - quietTailMs - durationMs])
  return { kind, startMs, endMs: startMs + durationMs, replicas, variant }
}

function within(random: Random, [min, max]: Range): number {
  return Math.round(min + random() * (max - min))
}

function replicasOf(random: Random, { kind, variant }: Pick<PlannedFault, 'kind' | 'variant'>): readonly ReplicaName[] {
  switch (kind) {
    case 'replica-kill':
    case 'fd-pressure':
      return [pick(random, replicaNames)]
    case 'clock-ahead':
    case 'clock-behind':
      // A day on one of them only: the other goes on signing.
      if (variant === 1) return [pick(random, replicaNames)]
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
