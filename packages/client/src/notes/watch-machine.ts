import { backoffMs } from '@tallystick/base/pure'
import type { ClientError } from '../client-error.ts'
import type { Reading } from '../environment.ts'
import { MalformedAnswerError } from '../errors.ts'
import { isRefusal } from '../http/request-errors.ts'
import { serverTimeAt, type TimeSample } from '../server-time.ts'
import type { NotesBody } from './decode-notes.ts'
import type { FetchedNotes } from './fetch-notes.ts'
import { nextBoundary, type TimedNotes, type WatchFailure } from './watch-state.ts'

/** State of a watch. It is never modified: each event makes a new one. Times are of the monotonic clock. */
export type Watch = {
  /** The last good answer. */
  readonly answer: WatchAnswer | undefined
  /** The last failure, until an answer comes, and the number of failures in a row. */
  readonly failure: (WatchFailure & { readonly count: number }) | undefined
  /** `ended`: a retry would be useless. */
  readonly phase: 'idle' | 'requesting' | 'ended'
  /** When to send the next request, even before the boundary. */
  readonly requestAt: number
  /** No request is sent before this. */
  readonly notBefore: number
  readonly lastRequestAt: number
  readonly lastLook: Reading
  /** Whether a stream delivers the next notes, so that a request for them can wait a little. */
  readonly isLive: boolean
}

type WatchAnswer = TimedNotes & {
  /** The service's time as of the last look. */
  readonly time: TimeSample
  /** When to request the next notes, in the service's time, Unix milliseconds. */
  readonly renewAtMs: number
  /** Answers in a row that lacked a chain. */
  readonly incompleteCount: number
}

// A timer can stop while the machine sleeps, so none runs longer than this. A look by itself sends nothing.
const lookMsMax = 15_000
// Spreads the requests of all clients over the first 2 s of a period.
const boundaryJitterMs = 2_000
// A stream delivers the notes of all chains within a second. After this they are requested.
const streamGraceMs = 3_000
// Between two looks the machine's clocks drift apart by far less than this, unless it slept or its time was set.
const clockStepMs = 2_000
// Browsers run the timers of a hidden tab once a minute. A timer that is later than this was asleep.
const sleepMs = 120_000
// A machine that wakes often sends requests no more often than this.
const wakeSpacingMs = 10_000
// A proxy may send any Retry-After. A longer one would end the watch in effect.
const retryAfterMsMax = 3_600_000
const retryBackoff = { minMs: 1_000, maxMs: 60_000 }
// For an answer that lacks a chain. The other chains can be used meanwhile.
const completionBackoff = { minMs: 15_000, maxMs: 300_000 }

/** Returns the state before the first look. A request is due at once. */
export function createWatch(reading: Reading): Watch {
  return {
    answer: undefined,
    failure: undefined,
    phase: 'idle',
    requestAt: reading.monotonic,
    notBefore: reading.monotonic,
    lastRequestAt: Number.NEGATIVE_INFINITY,
    lastLook: reading,
    isLive: false,
  }
}

/** Advances the service's time. Makes a request due if the machine slept or its time was set. */
export function lookAgain(watch: Watch, reading: Reading): Watch {
  const { answer, failure, phase, notBefore, lastLook, lastRequestAt, isLive } = watch
  const requestAt = hasJumped(lastLook, reading)
    ? Math.max(reading.monotonic, lastRequestAt + wakeSpacingMs)
    : watch.requestAt
  const advanced = answer && advance(answer, reading)
  return { answer: advanced, failure, phase, requestAt, notBefore, lastRequestAt, lastLook: reading, isLive }
}

function advance({ fetched, time, renewAtMs, incompleteCount }: WatchAnswer, reading: Reading): WatchAnswer {
  return { fetched, time: serverTimeAt(time, reading), renewAtMs, incompleteCount }
}

/** Makes a failed request due when the user is back, unless the service sent a Retry-After. */
export function wakeUp(watch: Watch, { monotonic }: Reading): Watch {
  if (!watch.failure || watch.failure.error.retryAfterSeconds !== undefined) return watch
  const requestAt = Math.max(monotonic, watch.lastRequestAt + wakeSpacingMs)
  return { ...watch, requestAt, notBefore: requestAt }
}

/** Returns whether a request is to be sent now. */
export function isRequestDue({ answer, phase, requestAt, notBefore, isLive }: Watch, { monotonic }: Reading): boolean {
  if (phase !== 'idle' || monotonic < notBefore) return false
  return monotonic >= requestAt || (answer !== undefined && answer.time.earliest >= renewalOf(answer, isLive))
}

/** Returns when to request the next notes, in the service's time. */
function renewalOf({ renewAtMs }: WatchAnswer, isLive: boolean): number {
  return renewAtMs + (isLive ? streamGraceMs : 0)
}

/** Makes a request due soon, spread over 2 s: the service reported that the notes on offer changed. */
export function expectChange(watch: Watch, { reading: { monotonic }, random }: Outcome): Watch {
  return { ...watch, requestAt: Math.min(watch.requestAt, monotonic + random() * boundaryJitterMs) }
}

/** Returns the state after a stream delivered the notes of a new period. It has begun, whatever the clocks say. */
export function acceptStreamed(watch: Watch, { body, reading, random }: Outcome & { readonly body: NotesBody }): Watch {
  if (!watch.answer || watch.phase !== 'idle') return watch
  const time = serverTimeAt(watch.answer.time, reading)
  const startMs = Math.max(...body.notes.map(({ validAfter }) => (Number(validAfter) + 1) * 1000))
  const earliest = Math.max(time.earliest, startMs)
  const known = { ...time, earliest, latest: Math.max(time.latest, earliest) }
  const answer = { ...body, serverTime: BigInt(Math.floor(earliest / 1000)), logged: undefined }
  return acceptNotes(watch, { fetched: { answer, time: known, isComplete: true }, reading, random })
}

/** Returns the state while a request is running. */
export function beginRequest(watch: Watch, { monotonic }: Reading): Watch {
  return { ...watch, phase: 'requesting', requestAt: Number.POSITIVE_INFINITY, lastRequestAt: monotonic }
}

type Outcome = { readonly reading: Reading; readonly random: () => number }

/** Returns the state after an answer. Throws if no note of it can be used now or later. */
export function acceptNotes(
  watch: Watch,
  { fetched, reading, random }: Outcome & { readonly fetched: FetchedNotes },
): Watch {
  const timed = { fetched, time: serverTimeAt(fetched.time, reading) }
  const boundary = nextBoundary(timed)
  if (boundary === undefined) throw nothingUsable()
  const renewAtMs = Number(boundary) * 1000 + random() * boundaryJitterMs
  const incompleteCount = fetched.isComplete ? 0 : (watch.answer?.incompleteCount ?? 0) + 1
  const accepted: Watch = {
    ...watch,
    answer: { ...timed, renewAtMs, incompleteCount },
    failure: undefined,
    phase: 'idle',
  }
  if (fetched.isComplete) return accepted
  const delayMs = backoffMs(incompleteCount - 1, completionBackoff) * (1 + random() / 2)
  return { ...accepted, requestAt: reading.monotonic + delayMs }
}

/** Returns the state after a failed request. */
export function failRequest(
  watch: Watch,
  { error, reading, random }: Outcome & { readonly error: ClientError },
): Watch {
  const count = watch.failure?.count ?? 0
  const backoff = backoffMs(count, { ...retryBackoff, random })
  const delayMs = Math.max(backoff, Math.min((error.retryAfterSeconds ?? 0) * 1000, retryAfterMsMax))
  const requestAt = reading.monotonic + delayMs
  // A service that has answered before answers again, unless it refuses: a certificate is renewed, a proxy is repaired.
  const isRetried = error.retryable || (watch.answer !== undefined && !isRefusal(error))
  const retryAt = isRetried ? reading.wall + delayMs : undefined
  return {
    ...watch,
    failure: { error, retryAt, count: count + 1 },
    phase: isRetried ? 'idle' : 'ended',
    requestAt,
    notBefore: requestAt,
  }
}

/** Returns the delay until the state can have changed. `usableUntilMs` is when usable notes end, in the service's time. */
export function nextLookMs(
  { answer, phase, requestAt, notBefore, isLive }: Watch,
  { reading, usableUntilMs }: { readonly reading: Reading; readonly usableUntilMs: number | undefined },
): number {
  const waits = [lookMsMax]
  if (phase === 'idle') {
    waits.push(Math.max(requestAt, notBefore) - reading.monotonic)
    if (answer) waits.push(Math.max(renewalOf(answer, isLive) - answer.time.earliest, notBefore - reading.monotonic))
  }
  // One millisecond more, so that the look comes after the end and not on it.
  if (answer && usableUntilMs !== undefined) waits.push(usableUntilMs - answer.time.latest + 1)
  return Math.max(1, Math.ceil(Math.min(...waits)))
}

/** Returns whether the machine slept or its time was set. The service's time is then uncertain. */
function hasJumped(before: Reading, after: Reading): boolean {
  const monotonicMs = after.monotonic - before.monotonic
  return Math.abs(after.wall - before.wall - monotonicMs) > clockStepMs || monotonicMs > sleepMs
}

function nothingUsable(): MalformedAnswerError {
  const message = 'GET /notes returned no note that can be used now or later. The watch retries it.'
  return new MalformedAnswerError({ code: 'malformed_answer', message, retryable: true })
}
