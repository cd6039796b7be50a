import type { InjectedFault } from './fault.ts'
import type { Exchange } from './judge.ts'

/**
 * When a request was made: while no fault was in force, while hostile queries came in, or in the pauses between them,
 * when everything else is as it was.
 */
export const phases = ['calm', 'hostile', 'pause'] as const
export type Phase = (typeof phases)[number]

export type Percentiles = { readonly count: number; readonly p50Ms: number; readonly p95Ms: number }

/** How long `/notes` takes. */
export type Latency = {
  /** Begins the hostile phase, or a pause of it; undefined ends both. */
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
      // What began in another phase belongs to neither.
      if (endpoint !== '/notes' || !answer || sentMs < sinceMs) return
      const isCalm = !faults.some((fault) => isFelt(fault, { sentMs, receivedMs }))
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

// A process that was started again is slow for a while.
const feltMs = 5_000

function isFelt(
  { startedMs, endedMs = Number.POSITIVE_INFINITY, skipped }: InjectedFault,
  { sentMs, receivedMs }: Pick<Exchange, 'sentMs' | 'receivedMs'>,
): boolean {
  return skipped === undefined && startedMs <= receivedMs && sentMs <= endedMs + feltMs
}

function toPercentiles(taken: readonly number[]): Percentiles {
  const sorted = taken.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95) }
}

// Fewer say nothing about a twentieth of them.
const countMin = 200
/**
 * The promise is 10 ms. It is kept by a machine that does nothing else; here two cores are shared by the replicas, the
 * chains, PostgreSQL and the callers, whose own event loop is late by tens of milliseconds, and on a machine that has
 * more to do than it can, whatever is added makes everything wait for a multiple of what it waits already. What the
 * promise is about is far beyond that: a service that answers such queries on its own thread, or lets them take its
 * connections, is slow by seconds.
 */
const slowedMaxMs = 100
const slowedTimesMax = 3

/** What is wrong with the answers that came while hostile queries did, by those in the pauses between them. */
export function findSlowness({ hostile, pause }: Readonly<Record<Phase, Percentiles>>): string | undefined {
  if (hostile.count < countMin || pause.count < countMin) return undefined
  const slowedMs = hostile.p95Ms - pause.p95Ms
  if (slowedMs <= slowedMaxMs + slowedTimesMax * pause.p95Ms) return undefined
  return `hostile queries slow /notes: p95 ${hostile.p95Ms} ms with them, ${pause.p95Ms} ms in their pauses`
}
