import { formatNewYork, type Period, periodAt } from '@tallystick/core'
import { toSeconds } from '../clock.ts'
import type { ClockEstimate, ReferenceClock } from './reference-clock.ts'

/** Two clocks that disagree about which period it is. */
export type ClockDispute = {
  readonly reference: string
  /** When they will agree if nobody sets a clock. */
  readonly retryAfterSeconds: number
  /** Which clocks, and how far apart. */
  readonly message: string
}

/** How a reference clock stands against the local one. */
export type ClockReading = {
  readonly reference: string
  /** Positive where the local clock is ahead; undefined where the reference is not known. For a chain 0 within its tolerance. */
  readonly offsetMs: number | undefined
  readonly dispute: ClockDispute | undefined
}

/** What the rails have to know about the clocks. */
export type ClockStatus = {
  /** The database's clock, Unix seconds; undefined where it has none of its own. */
  readonly databaseSeconds: bigint | undefined
  /** `confirmed`: a second clock says the same. `alone`: there is no second clock. `unconfirmed`: it cannot be read. */
  readonly confirmation: 'confirmed' | 'contradicted' | 'unconfirmed' | 'single_clock'
}

export type ClockComparison = {
  /** Whether every known clock agrees with a local instant about which period it is. */
  agrees(nowMs: number): boolean
  findDispute(nowMs: number): ClockDispute | undefined
  readings(nowMs: number): readonly ClockReading[]
  status(nowMs: number): ClockStatus
}

export type ComparedClocks = {
  /** The database's clock; undefined where the database is embedded and has this machine's. */
  readonly database: ReferenceClock | undefined
  readonly chains: readonly ReferenceClock[]
}

// Clocks kept by NTP differ by milliseconds, and a chain counts whole seconds.
export const toleranceMs = 500
// The rails' own tolerance between replicas: a clock within it is not one that was set back.
const confirmedWithinMs = 60_000
const unmeasuredRetrySeconds = 5
// Clocks that never agree by themselves are set by a person.
const neverRetrySeconds = 300

/** Creates the comparison of the local clock. It keeps no time itself: the reference clocks do. */
export function createClockComparison({ database, chains }: ComparedClocks): ClockComparison {
  const isSamePeriod = createIsSamePeriod()
  const references = [...(database ? [database] : []), ...chains]
  const findRivalOf = (reference: ReferenceClock, nowMs: number): number | undefined => {
    const estimate = reference.estimate()
    if (!estimate) return undefined
    const rivalMs = reference === database ? findRival(estimate, nowMs) : findNearest(estimate, nowMs)
    return rivalMs === undefined || isSamePeriod(nowMs, rivalMs) ? undefined : rivalMs
  }
  const disputeWith = (reference: ReferenceClock, nowMs: number): ClockDispute | undefined => {
    if (reference === database && !reference.estimate()) return unmeasured(reference)
    const rivalMs = findRivalOf(reference, nowMs)
    return rivalMs === undefined ? undefined : describe(reference.name, { nowMs, rivalMs })
  }
  return {
    agrees: (nowMs) => {
      if (database && !database.estimate()) return false
      return references.every((reference) => findRivalOf(reference, nowMs) === undefined)
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
  const isConfirmed = estimates.every((chain) => findNearest(chain, nowMs) === undefined)
  return { databaseSeconds: undefined, confirmation: isConfirmed ? 'confirmed' : 'contradicted' }
}

/** Returns the end of an estimate that is farthest from an instant, or undefined if they are within the tolerance. */
function findRival({ earliestMs, latestMs }: ClockEstimate, nowMs: number): number | undefined {
  if (nowMs < earliestMs - toleranceMs) return latestMs
  return nowMs > latestMs + toleranceMs ? earliestMs : undefined
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

/** Returns a comparison that knows the last period: on the path of every request a period is not computed again. */
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
  { nowMs, rivalMs }: { readonly nowMs: number; readonly rivalMs: number },
): ClockDispute {
  const retryAfterSeconds = secondsUntilAgreed(Math.min(nowMs, rivalMs), Math.max(nowMs, rivalMs))
  const apart = Math.max(1, Math.round(Math.abs(nowMs - rivalMs) / 1000))
  return {
    reference,
    retryAfterSeconds: retryAfterSeconds ?? neverRetrySeconds,
    message:
      `This replica's clock says ${formatNewYork(toSeconds(nowMs))} New York, ${apart} s ` +
      `${nowMs < rivalMs ? 'behind' : 'ahead of'} the clock of the ${reference}: they disagree about the current period.`,
  }
}

function unmeasured({ name }: ReferenceClock): ClockDispute {
  const message = `The clock of the ${name} was not measured yet, so the current period is not certain.`
  return { reference: name, retryAfterSeconds: unmeasuredRetrySeconds, message }
}

/** Counts until the clock that is behind enters the other's period; undefined if the other is always gone by then. */
function secondsUntilAgreed(earlierMs: number, laterMs: number): number | undefined {
  // Two periods make a day: clocks that do not meet in one of the next four never do.
  for (let waitedMs = 0, tries = 0; tries < 4; tries++) {
    const period = periodAt(toSeconds(earlierMs + waitedMs))
    if (toSeconds(laterMs + waitedMs) < period.end) return Math.max(1, Math.ceil(waitedMs / 1000))
    waitedMs = Number(period.end) * 1000 - earlierMs
  }
  return undefined
}
