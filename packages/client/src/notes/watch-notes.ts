import type { Reading } from '../environment.ts'
import { ClientError, MalformedAnswerError } from '../errors.ts'
import type { Connection } from '../http/connection.ts'
import { serverTimeAt, type TimeSample } from '../server-time.ts'
import { type FetchedNotes, fetchNotes, type NotesFilter } from './fetch-notes.ts'
import { isSameState, type NotesState, nextBoundary, stateOf, type WatchFailure } from './watch-state.ts'

/** How `watchNotes` watches. */
export type WatchNotesOptions = NotesFilter & {
  /** Notes that cannot be submitted for at least so many seconds are not handed out; 30 if left out. */
  readonly minRemaining?: number | undefined
  /** Told of every request that failed, also while there are notes that can be used. */
  readonly onError?: ((error: ClientError) => void) | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
}

// A timer can stand still while the machine sleeps, so none is trusted for longer than this. Nothing is sent at a look.
const lookMsMax = 15_000
// Spreads over two seconds what would otherwise come from everybody in the first one of a period.
const boundaryJitterMs = 2_000
// The machine's two clocks drift apart by far less than this between two looks, unless it slept or its time was set.
const clockStepMs = 2_000
// Browsers wake the timers of a hidden tab once a minute. What comes later than that was asleep.
const sleepMs = 120_000
// However often a machine wakes, it asks no more often than this.
const wakeSpacingMs = 10_000
const firstRetryMs = 1_000
const retryMsMax = 60_000
// An answer that lacks a chain is asked for again, but there is something to go on with.
const firstCompletionMs = 15_000
const completionMsMax = 300_000

type Watch = {
  readonly options: WatchNotesOptions
  readonly callback: (state: NotesState) => void
  readonly stopped: AbortController
  readonly minRemainingMs: number
  /** The last good answer, and the service's time, carried on from look to look. */
  timed: { readonly fetched: FetchedNotes; readonly time: TimeSample } | undefined
  failure: WatchFailure | undefined
  announced: NotesState | undefined
  /** Failures in a row, and answers in a row that lacked a chain. */
  failures: number
  incompletes: number
  isFetching: boolean
  isOver: boolean
  /** By the service's time, in milliseconds. */
  boundaryMs: number
  /** By the monotonic clock: when to ask whatever the boundary is, and before when not to ask whatever happens. */
  askAt: number
  notBefore: number
  lastAskedAt: number
  lastLook: Reading
  timer: unknown
}

/** Calls back whenever what can be used changes. Gives what ends it. */
export function watchNotes(
  connection: Connection,
  { callback, options }: { readonly callback: (state: NotesState) => void; readonly options: WatchNotesOptions },
): () => void {
  const { clock, onWake } = connection.environment
  const reading = clock.read()
  const watch: Watch = {
    options,
    callback,
    stopped: new AbortController(),
    minRemainingMs: (options.minRemaining ?? 30) * 1000,
    timed: undefined,
    failure: undefined,
    announced: undefined,
    failures: 0,
    incompletes: 0,
    isFetching: false,
    isOver: false,
    boundaryMs: Number.POSITIVE_INFINITY,
    askAt: reading.monotonic,
    notBefore: reading.monotonic,
    lastAskedAt: Number.NEGATIVE_INFINITY,
    lastLook: reading,
    timer: undefined,
  }
  const signals = [connection.signal, options.signal].filter((signal) => signal !== undefined)
  const stopListening = onWake(() => lookAfterWake(connection, watch))
  const stop = () => {
    stopListening()
    clock.clearTimeout(watch.timer)
    watch.stopped.abort()
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
  for (const signal of signals) signal.addEventListener('abort', stop)
  if (signals.some((signal) => signal.aborted)) stop()
  look(connection, watch)
  return stop
}

/** Sees what time it is, tells what has changed, asks if it must, and comes back when something can have changed. */
function look(connection: Connection, watch: Watch): void {
  const { clock } = connection.environment
  clock.clearTimeout(watch.timer)
  if (watch.stopped.signal.aborted) return
  const reading = clock.read()
  if (hasJumped(watch.lastLook, reading)) watch.askAt = Math.max(reading.monotonic, watch.lastAskedAt + wakeSpacingMs)
  watch.lastLook = reading
  if (watch.timed) watch.timed = { ...watch.timed, time: serverTimeAt(watch.timed.time, reading) }
  announce(watch)
  if (isDue(watch, reading)) ask(connection, watch)
  // The callback may have stopped it.
  if (watch.stopped.signal.aborted || (watch.isOver && watch.announced?.status !== 'ready')) return
  watch.timer = clock.setTimeout(() => look(connection, watch), nextLookMs(watch, reading))
}

/** Somebody is there again: what failed is tried at once, unless the service asked to be left alone. */
function lookAfterWake(connection: Connection, watch: Watch): void {
  const { monotonic } = connection.environment.clock.read()
  if (watch.failure && watch.failure.error.retryAfterSeconds === undefined) {
    watch.notBefore = Math.max(monotonic, watch.lastAskedAt + wakeSpacingMs)
    watch.askAt = watch.notBefore
  }
  look(connection, watch)
}

/** Whether the machine slept, or its time was set: what is known of the service's time is in doubt then. */
function hasJumped(before: Reading, after: Reading): boolean {
  const monotonicMs = after.monotonic - before.monotonic
  return Math.abs(after.wall - before.wall - monotonicMs) > clockStepMs || monotonicMs > sleepMs
}

function announce(watch: Watch): void {
  const state = stateOf(watch)
  if (!state || isSameState(watch.announced, state)) return
  watch.announced = state
  callBack(() => watch.callback(state))
}

function isDue(watch: Watch, reading: Reading): boolean {
  if (watch.isFetching || watch.isOver || reading.monotonic < watch.notBefore) return false
  if (reading.monotonic >= watch.askAt) return true
  return watch.timed !== undefined && watch.timed.time.earliest >= watch.boundaryMs
}

function ask(connection: Connection, watch: Watch): void {
  const { clock, random } = connection.environment
  const { chainId, maturity } = watch.options
  watch.isFetching = true
  watch.askAt = Number.POSITIVE_INFINITY
  watch.lastAskedAt = clock.read().monotonic
  // Tried again by the watch itself, which knows when that is worth while.
  fetchNotes(connection, { chainId, maturity, signal: watch.stopped.signal, retries: 0 })
    .then((fetched) => accept(watch, { fetched, reading: clock.read(), random }))
    .catch((error: unknown) => fail(watch, { error, reading: clock.read(), random }))
    .finally(() => {
      watch.isFetching = false
      look(connection, watch)
    })
}

type Outcome = { readonly reading: Reading; readonly random: () => number }

function accept(watch: Watch, { fetched, reading, random }: Outcome & { readonly fetched: FetchedNotes }): void {
  const timed = { fetched, time: serverTimeAt(fetched.time, reading) }
  const boundary = nextBoundary(timed)
  if (boundary === undefined) throw nothingUsable()
  watch.timed = timed
  watch.failure = undefined
  watch.failures = 0
  watch.boundaryMs = Number(boundary) * 1000 + random() * boundaryJitterMs
  watch.incompletes = fetched.isComplete ? 0 : watch.incompletes + 1
  if (fetched.isComplete) return
  const delayMs = Math.min(firstCompletionMs * 2 ** (watch.incompletes - 1), completionMsMax)
  watch.askAt = reading.monotonic + delayMs * (1 + random() / 2)
}

function fail(watch: Watch, { error, reading, random }: Outcome & { readonly error: unknown }): void {
  if (watch.stopped.signal.aborted) return
  if (!(error instanceof ClientError)) {
    watch.isOver = true
    throw error
  }
  const wholeMs = Math.min(firstRetryMs * 2 ** watch.failures, retryMsMax)
  const delayMs = Math.max(wholeMs / 2 + (random() * wholeMs) / 2, (error.retryAfterSeconds ?? 0) * 1000)
  watch.failures++
  watch.isOver = !error.retryable
  watch.notBefore = reading.monotonic + delayMs
  watch.askAt = watch.notBefore
  watch.failure = { error, retryAt: error.retryable ? reading.wall + delayMs : undefined }
  callBack(() => watch.options.onError?.(error))
}

function nextLookMs(watch: Watch, reading: Reading): number {
  const waits = [lookMsMax]
  if (!watch.isFetching) waits.push(Math.max(watch.askAt, watch.notBefore) - reading.monotonic)
  if (watch.timed) {
    const { earliest, latest } = watch.timed.time
    if (!watch.isFetching) waits.push(Math.max(watch.boundaryMs - earliest, watch.notBefore - reading.monotonic))
    // One millisecond more, so that the look comes after the end and not on it.
    if (watch.announced?.status === 'ready') {
      waits.push(Number(watch.announced.validUntil) * 1000 - watch.minRemainingMs - latest + 1)
    }
  }
  return Math.max(1, Math.ceil(Math.min(...waits)))
}

/** A fault of the caller's own code is the caller's to see, and must not end the watch. */
function callBack(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

function nothingUsable(): MalformedAnswerError {
  const message = 'GET /notes was answered with no note that can be used now or later. It is asked again.'
  return new MalformedAnswerError({ code: 'malformed_answer', message, retryable: true })
}
