import type { InjectedFault } from '../faults/fault.ts'
import type { Exchange } from './judge.ts'

/**
 * Phase of a request: without an active fault, during hostile queries, or in the pauses between them, when nothing else
 * changes.
 */
export const phases = ['calm', 'hostile', 'pause'] as const
export type Phase = (typeof phases)[number]

export type Percentiles = { readonly count: number; readonly p50Ms: number; readonly p95Ms: number }

/** Latency of `/notes` in each phase. */
export type Latency = {
  /** Starts the hostile phase or a pause. Undefined ends both. */
  enter(phase: 'hostile' | 'pause' | undefined): void
  take(exchange: Exchange, faults: readonly InjectedFault[]): void
  read(): Readonly<Record<Phase, Percentiles>>
}

export function createLatency(elapsedMs: () => number): Latency {
  const taken: Record<Phase, number[]> = { calm: [], hostile: [], pause: [] }
  let phase: 'hostile' | 'pause' | undefined
  let sinceMs = Number.NEGATIVE_INFINITY
  return {
    enter: (next) => {
      phase = next
      sinceMs = elapsedMs()
    },
    take: ({ endpoint, answer, sentMs, receivedMs }, faults) => {
      // A request that was sent in another phase belongs to neither.
      if (endpoint !== '/notes' || !answer || sentMs < sinceMs) return
      const isCalm = !faults.some((fault) => isNear(fault, { sentMs, receivedMs }))
      const found = phase ?? (isCalm ? 'calm' : undefined)
      if (found) taken[found].push(receivedMs - sentMs)
    },
    read: () => ({
      calm: toPercentiles(taken.calm),
      hostile: toPercentiles(taken.hostile),
      pause: toPercentiles(taken.pause),
    }),
  }
}

// A restarted process is slow at first.
const effectMs = 5_000

function isNear(
  { startedMs, endedMs = Number.POSITIVE_INFINITY, skipped }: InjectedFault,
  { sentMs, receivedMs }: Pick<Exchange, 'sentMs' | 'receivedMs'>,
): boolean {
  return skipped === undefined && startedMs <= receivedMs && sentMs <= endedMs + effectMs
}

function toPercentiles(taken: readonly number[]): Percentiles {
  const sorted = taken.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95) }
}

// A 95th percentile needs at least this many.
const countMin = 200
/**
 * The target is 10 ms on a machine without other load. Here the replicas, the chains, PostgreSQL and the clients share
 * two cores, the event loop of the clients is late by tens of milliseconds, and on an overloaded machine every added
 * load multiplies all waiting times. A service that fails the target, because it runs such queries on its main thread or
 * lets them use its connections, is slower by seconds.
 */
const slowedMaxMs = 100
const slowedTimesMax = 3

/** Returns a message if `/notes` was slower during hostile queries than in their pauses, or undefined. */
export function findSlowness({ hostile, pause }: Readonly<Record<Phase, Percentiles>>): string | undefined {
  if (hostile.count < countMin || pause.count < countMin) return undefined
  const slowedMs = hostile.p95Ms - pause.p95Ms
  if (slowedMs <= slowedMaxMs + slowedTimesMax * pause.p95Ms) return undefined
  return `hostile queries slow /notes: p95 ${hostile.p95Ms} ms with them, ${pause.p95Ms} ms in their pauses`
}
