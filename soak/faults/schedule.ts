import { createRandom, pick, type Random } from '@tallystick/workbench/random'
import { areExclusive } from './exclusive-faults.ts'
import { type FaultKind, faultKinds, type PlannedFault, type ReplicaName, replicaNames } from './fault.ts'

export type Schedule = {
  readonly lengthMs: number
  /** Times of the New York boundaries. */
  readonly boundariesMs: readonly number[]
  /** Faults in the order of their starts. */
  readonly faults: readonly PlannedFault[]
}

// Before the first fault, resources are measured for the comparison at the end.
export const quietHeadMs = 30_000
// After the last fault, circuits close within 15 s, failed starts are retried and the indexes catch up.
export const quietTailMs = 55_000
// An index is complete 90 s after its endpoint recovered.
const slowTailMs = 95_000
// They take one or two minutes, so they occur only in every second round.
const rareKinds: readonly FaultKind[] = ['database-restore', 'signer-changed']
const slowKinds: readonly FaultKind[] = ['rpc-drops-logs', 'rpc-changes-chain']
const firstBoundaryMs = 60_000
const boundaryEveryMs = 90_000
/** Time before a boundary to which the clock jumps. The next period is signed then. */
export const jumpAheadMs = 40_000
// Dense enough to place every kind within five minutes, with overlaps.
const msPerFault = 11_000

// Long enough to affect every client.
const durationsMs: Readonly<Record<Exclude<FaultKind, BoundKind>, readonly [min: number, max: number]>> = {
  'replica-kill': [2_000, 6_000],
  'postgres-stop': [5_000, 14_000],
  // Longer than the timeout of a request, shorter than that of a statement.
  'postgres-stall': [6_000, 14_000],
  'rpc-outage': [8_000, 18_000],
  'rpc-drip': [8_000, 18_000],
  'rpc-drops-logs': [12_000, 18_000],
  'rpc-changes-chain': [12_000, 18_000],
  // Roles are checked every minute.
  'role-revoked': [65_000, 75_000],
  // Replicas check their pools every 15 s, and have to withhold the notes meanwhile.
  'signer-changed': [55_000, 65_000],
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

/** Time of the database restore of each variant, relative to its boundary. */
export const restoreAtMs = { 0: -15_000, 1: 5_000 } as const

// Faults near a boundary: start and end of each variant, relative to it.
const spans: Readonly<Record<BoundKind, readonly [{ from: Range; to: Range }, { from: Range; to: Range }]>> = {
  // The copy is made before the next period is signed and restored after it. Running replicas compare their journal with
  // the database every minute, restarted ones at once.
  'database-restore': [
    { from: [-55_000, -53_000], to: [90_000, 90_000] },
    { from: [-55_000, -53_000], to: [70_000, 70_000] },
  ],
  // Variant 0: the next period is already signed. Variant 1: it is not.
  'signer-outage': [
    { from: [-10_000, -10_000], to: [10_000, 20_000] },
    { from: [-jumpAheadMs - 5_000, -jumpAheadMs - 5_000], to: [15_000, 25_000] },
  ],
  // Variant 0: five minutes, with the true and the wrong time on different sides of the boundary. Variant 1: a day, while
  // the next period is signed.
  'clock-ahead': [
    { from: [-25_000, -10_000], to: [4_000, 10_000] },
    { from: [-jumpAheadMs - 5_000, -jumpAheadMs - 3_000], to: [5_000, 10_000] },
  ],
  'clock-behind': [
    { from: [-10_000, -4_000], to: [10_000, 20_000] },
    { from: [-jumpAheadMs - 5_000, -jumpAheadMs - 3_000], to: [2_000, 10_000] },
  ],
}

// Time for a start or for a circuit to close before an exclusive fault begins.
const apartMs = 6_000
const triesMax = 200
const completeMs = 7 * 60_000
const plansMax = 500

/**
 * Plans the faults as a pure function of the seed and the length. Every kind occurs at least once in 7 minutes or more. A
 * shorter schedule has those that fit.
 */
export function planSchedule({ seed, minutes }: { readonly seed: number; readonly minutes: number }): Schedule {
  const random = createRandom(seed)
  const lengthMs = Math.round(minutes * 60_000)
  const boundariesMs = planBoundaries(lengthMs)
  for (let plans = 0; plans < plansMax; plans++) {
    const faults = planFaults(random, { seed, lengthMs, boundariesMs })
    if (faults) return { lengthMs, boundariesMs, faults: [...faults].sort((a, b) => a.startMs - b.startMs) }
  }
  throw new Error(`${minutes} minutes are too short for every fault. Increase --minutes.`)
}

type Length = Pick<Schedule, 'lengthMs' | 'boundariesMs'>

/** Places the faults. Returns undefined if one of them does not fit. */
function planFaults(
  random: Random,
  { seed, ...length }: Length & { readonly seed: number },
): readonly PlannedFault[] | undefined {
  const activeMs = length.lengthMs - quietHeadMs - quietTailMs
  const rounds = Math.max(1, Math.floor(activeMs / (msPerFault * faultKinds.length)))
  const faults: PlannedFault[] = []
  const isShort = length.lengthMs < completeMs
  for (const [index, kind] of (isShort ? shuffle(random, placingOrder) : placingOrder).entries()) {
    for (let round = 0; round < rounds; round++) {
      const isRare = rareKinds.includes(kind)
      if (isRare && round % 2 === 1) continue
      // Alternates, so that two rounds have both variants.
      const variant = ((seed + index + (isRare ? round / 2 : round)) % 2) as 0 | 1
      const fault = place(random, { kind, variant, ...length, faults })
      if (fault) faults.push(fault)
      else if (!isShort) return undefined
    }
  }
  return faults
}

// Faults with the fewest possible places first: those near a boundary, then the longest.
const placingOrder: readonly FaultKind[] = faultKinds.toSorted((a, b) => lengthOf(b) - lengthOf(a))

function shuffle(random: Random, kinds: readonly FaultKind[]): readonly FaultKind[] {
  return kinds
    .map((kind) => ({ kind, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind)
}

function lengthOf(kind: FaultKind): number {
  return isBound(kind) ? Number.MAX_SAFE_INTEGER : durationsMs[kind][1]
}

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
    const tailMs = slowKinds.includes(fault.kind) ? slowTailMs : quietTailMs
    const fits = fault.startMs >= quietHeadMs && fault.endMs <= placing.lengthMs - tailMs
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
      // A day on one replica only, so that the other keeps signing.
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
