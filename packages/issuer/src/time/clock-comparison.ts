import { toSeconds } from '@tallystick/base'
import { formatNewYork, type Period, periodAt } from '@tallystick/core'
import type { ClockEstimate, ReferenceClock } from './reference-clock.ts'

/** Two clocks that disagree about the current period. */
export type ClockDispute = {
  readonly reference: string
  /** Time until both clocks are in the same period, if neither is corrected. */
  readonly retryAfterSeconds: number
  readonly message: string
}

/** Comparison of the local clock with a reference clock. */
type ClockReading = {
  readonly reference: string
  /** Positive if the local clock is ahead; undefined if the reference is unknown. 0 within a chain's tolerance. */
  readonly offsetMs: number | undefined
  readonly dispute: ClockDispute | undefined
}

/** Status of the local clock, for the rails. */
export type ClockStatus = {
  /** The database's clock, Unix seconds; undefined if it is not measured, or the database is embedded. */
  readonly databaseSeconds: bigint | undefined
  /** `confirmed`: a second clock agrees. `single_clock`: there is no second clock. `unconfirmed`: none can be read. */
  readonly confirmation: 'confirmed' | 'contradicted' | 'unconfirmed' | 'single_clock'
}

export type ClockComparison = {
  /** Returns whether every known clock is in the same period as a local instant. */
  agrees(nowMs: number): boolean
  findDispute(nowMs: number): ClockDispute | undefined
  readings(nowMs: number): readonly ClockReading[]
  status(nowMs: number): ClockStatus
  /** Returns the earliest instant that the local clock and the known references allow. */
  earliest(nowMs: number): EarliestInstant
}

type EarliestInstant = {
  readonly earliestMs: number
  /** Whether every reference is known. */
  readonly isComplete: boolean
}

export type ComparedClocks = {
  /** Undefined if the database is embedded, because it uses this machine's clock. */
  readonly database: ReferenceClock | undefined
  readonly chains: readonly ReferenceClock[]
}

// Clocks kept by NTP differ by milliseconds, and a chain's time has whole seconds.
export const toleranceMs = 500
// Same tolerance as the rails have between replicas.
const confirmedWithinMs = 60_000
const unmeasuredRetrySeconds = 5
// Retry delay if the clocks never agree without an operator.
const neverRetrySeconds = 300

/** Creates a comparison of local instants with the reference clocks. */
export function createClockComparison({ database, chains }: ComparedClocks): ClockComparison {
  const isSamePeriod = createIsSamePeriod()
  const references = [...(database ? [database] : []), ...chains]
  const findConflictOf = (reference: ReferenceClock, nowMs: number): number | undefined => {
    const estimate = reference.estimate()
    if (!estimate) return undefined
    const otherMs = findOther(estimate, { nowMs, isChain: reference !== database, hasDatabase: database !== undefined })
    if (otherMs === undefined || isSamePeriod(nowMs, otherMs)) return undefined
    return reference !== database && otherMs < nowMs && isConfirmedByChain(chains, nowMs) ? undefined : otherMs
  }
  const disputeWith = (reference: ReferenceClock, nowMs: number): ClockDispute | undefined => {
    if (reference === database && !reference.estimate()) return unmeasured(reference)
    const otherMs = findConflictOf(reference, nowMs)
    return otherMs === undefined ? undefined : describe(reference.name, { nowMs, otherMs })
  }
  return {
    agrees: (nowMs) => {
      if (database && !database.estimate()) return false
      return references.every((reference) => findConflictOf(reference, nowMs) === undefined)
    },
    findDispute: (nowMs) => {
      const disputes = references.flatMap((reference) => disputeWith(reference, nowMs) ?? [])
      return disputes.sort((a, b) => b.retryAfterSeconds - a.retryAfterSeconds)[0]
    },
    readings: (nowMs) =>
      references.map((reference) => ({
        reference: reference.name,
        offsetMs: readOffset(reference, { nowMs, isExact: reference === database }),
        dispute: disputeWith(reference, nowMs),
      })),
    status: (nowMs) => readStatus({ database, chains }, nowMs),
    earliest: (nowMs) => {
      const estimates = references.flatMap((reference) => reference.estimate() ?? [])
      const earliestMs = Math.min(nowMs, ...estimates.map((estimate) => estimate.earliestMs))
      return { earliestMs, isComplete: estimates.length === references.length }
    },
  }
}

function readStatus({ database, chains }: ComparedClocks, nowMs: number): ClockStatus {
  const estimate = database?.estimate()
  if (database) {
    if (!estimate) return { databaseSeconds: undefined, confirmation: 'unconfirmed' }
    const databaseMs = middleOf(estimate)
    const confirmation = Math.abs(nowMs - databaseMs) <= confirmedWithinMs ? 'confirmed' : 'contradicted'
    return { databaseSeconds: toSeconds(databaseMs), confirmation }
  }
  if (chains.length === 0) return { databaseSeconds: undefined, confirmation: 'single_clock' }
  const estimates = chains.flatMap((chain) => chain.estimate() ?? [])
  if (estimates.length === 0) return { databaseSeconds: undefined, confirmation: 'unconfirmed' }
  const isConfirmed = isConfirmedByChain(chains, nowMs) && estimates.every(({ earliestMs }) => earliestMs <= nowMs)
  return { databaseSeconds: undefined, confirmation: isConfirmed ? 'confirmed' : 'contradicted' }
}

/**
 * Returns whether the blocks of a chain confirm an instant. A chain that is behind has then stopped: a block only gives a
 * lower bound of the time, and the newer one counts.
 */
function isConfirmedByChain(chains: readonly ReferenceClock[], nowMs: number): boolean {
  return chains.some((chain) => {
    const estimate = chain.estimate()
    return estimate !== undefined && findNearest(estimate, nowMs) === undefined
  })
}

/**
 * Returns the end of an estimate to compare the period of, or undefined if the instant is within it. A clock that is
 * outside is wrong, and nothing says where in the estimate the time is, so the farthest end counts. The nearest end of a
 * chain's counts if the database's clock says more.
 */
function findOther(
  { earliestMs, latestMs }: ClockEstimate,
  { nowMs, isChain, hasDatabase }: { readonly nowMs: number; readonly isChain: boolean; readonly hasDatabase: boolean },
): number | undefined {
  const withinMs = isChain ? 0 : toleranceMs
  const isBehind = nowMs < earliestMs - withinMs
  if (!isBehind && nowMs <= latestMs + withinMs) return undefined
  const [nearestMs, farthestMs] = isBehind ? [earliestMs, latestMs] : [latestMs, earliestMs]
  return isChain && hasDatabase ? nearestMs : farthestMs
}

/** Returns the end of an estimate that is nearest to an instant, or undefined if the instant is within it. */
function findNearest({ earliestMs, latestMs }: ClockEstimate, nowMs: number): number | undefined {
  if (nowMs < earliestMs) return earliestMs
  return nowMs > latestMs ? latestMs : undefined
}

function readOffset(
  reference: ReferenceClock,
  { nowMs, isExact }: { readonly nowMs: number; readonly isExact: boolean },
): number | undefined {
  const estimate = reference.estimate()
  if (!estimate) return undefined
  return nowMs - (isExact ? middleOf(estimate) : (findNearest(estimate, nowMs) ?? nowMs))
}

function middleOf({ earliestMs, latestMs }: ClockEstimate): number {
  return (earliestMs + latestMs) / 2
}

/** Creates a comparison that caches the last period, because it runs for every request. */
function createIsSamePeriod(): (aMs: number, bMs: number) => boolean {
  let known: Period = periodAt(0n)
  return (aMs, bMs) => {
    const [a, b] = [toSeconds(aMs), toSeconds(bMs)]
    if (a < known.start || a >= known.end) known = periodAt(a)
    return b >= known.start && b < known.end
  }
}

function describe(
  reference: string,
  { nowMs, otherMs }: { readonly nowMs: number; readonly otherMs: number },
): ClockDispute {
  const retryAfterSeconds = secondsUntilAgreed(Math.min(nowMs, otherMs), Math.max(nowMs, otherMs))
  const apart = Math.max(1, Math.round(Math.abs(nowMs - otherMs) / 1000))
  return {
    reference,
    retryAfterSeconds: retryAfterSeconds ?? neverRetrySeconds,
    message:
      `This replica's clock says ${formatNewYork(toSeconds(nowMs))} New York, ${apart} s ` +
      `${nowMs < otherMs ? 'behind' : 'ahead of'} the clock of the ${reference}: they disagree about the current period.`,
  }
}

function unmeasured({ name }: ReferenceClock): ClockDispute {
  const message = `The clock of the ${name} has not been measured yet, so the current period is uncertain.`
  return { reference: name, retryAfterSeconds: unmeasuredRetrySeconds, message }
}

/** Returns the seconds until both clocks are in the same period, or undefined if they never are. */
function secondsUntilAgreed(earlierMs: number, laterMs: number): number | undefined {
  // A day has two periods. Clocks that do not share one of the next four never share one.
  for (let waitedMs = 0, tries = 0; tries < 4; tries++) {
    const period = periodAt(toSeconds(earlierMs + waitedMs))
    if (toSeconds(laterMs + waitedMs) < period.end) return Math.max(1, Math.ceil(waitedMs / 1000))
    waitedMs = Number(period.end) * 1000 - earlierMs
  }
  return undefined
}
