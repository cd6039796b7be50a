import { ClientError } from '../client-error.ts'
import type { Connection } from '../http/connection.ts'
import { fetchNotes, type NotesFilter } from './fetch-notes.ts'
import { startNotesStream } from './start-notes-stream.ts'
import {
  acceptNotes,
  beginRequest,
  createWatch,
  failRequest,
  isRequestDue,
  lookAgain,
  nextLookMs,
  type Watch,
  wakeUp,
} from './watch-machine.ts'
import { isSameState, type NotesState, stateOf } from './watch-state.ts'

/**
 * Seconds that a note must be valid for at least, so that a transaction with it is probably mined in time.
 *
 * @example
 * defaultMinRemaining // => 30
 */
export const defaultMinRemaining = 30

/** Options of `watchNotes`. */
export type WatchNotesOptions = NotesFilter & {
  /** Notes that expire in less than this many seconds are not passed on; `defaultMinRemaining` by default. */
  readonly minRemaining?: number | undefined
  /** Called for every failed request, even while there are usable notes. */
  readonly onError?: ((error: ClientError) => void) | undefined
  /**
   * Whether to receive new notes from the service's stream (`GET /events`) instead of requesting them; true by default. A
   * service without it is requested at each boundary.
   */
  readonly stream?: boolean | undefined
  /** Stops the watch. */
  readonly signal?: AbortSignal | undefined
}

type Subscription = { readonly callback: (state: NotesState) => void; readonly options: WatchNotesOptions }

/** Calls `callback` when the `NotesState` changes. Returns a function that stops the watch. */
export function watchNotes(connection: Connection, { callback, options }: Subscription): () => void {
  const signals = [connection.signal, options.signal].filter((signal) => signal !== undefined)
  const stopped = new AbortController()
  const loop = createLoop(connection, { callback, options, stopped: stopped.signal })
  const stopListening = connection.environment.onWake(loop.wake)
  const stop = () => {
    stopListening()
    stopped.abort()
    for (const signal of signals) signal.removeEventListener('abort', stop)
  }
  for (const signal of signals) signal.addEventListener('abort', stop)
  if (signals.some((signal) => signal.aborted)) stop()
  loop.look()
  return stop
}

/** Creates the loop of a watch: it looks at the clock, reports a change, sends a due request and sets the next timer. */
function createLoop(
  connection: Connection,
  { callback, options, stopped }: Subscription & { readonly stopped: AbortSignal },
) {
  const { clock, random } = connection.environment
  const { chainId, maturity, minRemaining = defaultMinRemaining, onError, stream = true } = options
  const announcer = createAnnouncer(callback, minRemaining * 1000)
  let watch = createWatch(clock.read())
  let timer: unknown
  let isStreaming = !stream
  stopped.addEventListener('abort', () => clock.clearTimeout(timer))

  const look = () => {
    clock.clearTimeout(timer)
    if (stopped.aborted) return
    const reading = clock.read()
    watch = lookAgain(watch, reading)
    announcer.announce(watch)
    // The callback may have stopped the watch.
    if (stopped.aborted) return
    if (isRequestDue(watch, reading)) request()
    const usableUntilMs = announcer.usableUntilMs()
    if (watch.phase === 'ended' && usableUntilMs === undefined) return
    timer = clock.setTimeout(look, nextLookMs(watch, { reading, usableUntilMs }))
  }
  const request = () => {
    watch = beginRequest(watch, clock.read())
    // Without retries of its own: the watch decides when a retry is useful.
    fetchNotes(connection, { chainId, maturity, signal: stopped, retries: 0 })
      .then((fetched) => {
        watch = acceptNotes(watch, { fetched, reading: clock.read(), random })
        openStream()
      })
      .catch(fail)
      .finally(look)
  }
  // After the first answer: it shows that service and key work, and has the chains.
  const openStream = () => {
    if (isStreaming || stopped.aborted) return
    isStreaming = true
    startNotesStream(connection, {
      filter: { chainId, maturity },
      signal: stopped,
      chainIds: () => chainsOf(watch),
      onChange: (change) => {
        watch = change(watch, { reading: clock.read(), random })
        look()
      },
    })
  }
  const fail = (error: unknown) => {
    if (stopped.aborted) return
    if (!(error instanceof ClientError)) {
      watch = { ...watch, phase: 'ended' }
      throw error
    }
    watch = failRequest(watch, { error, reading: clock.read(), random })
    callSafely(() => onError?.(error))
  }
  const wake = () => {
    watch = wakeUp(watch, clock.read())
    look()
  }
  return { look, wake }
}

/** Returns the chains of the last answer. None if it lacked one, because the stream cannot tell what is missing. */
function chainsOf({ answer }: Watch): ReadonlySet<number> {
  const notes = answer?.fetched.isComplete ? answer.fetched.answer.notes : []
  return new Set(notes.map(({ chainId }) => chainId))
}

function createAnnouncer(callback: Subscription['callback'], minRemainingMs: number) {
  let announced: NotesState | undefined
  return {
    /** Calls `callback` if the state has changed. */
    announce: (watch: Watch) => {
      const state = stateOf(watch, minRemainingMs)
      if (!state || isSameState(announced, state)) return
      announced = state
      callSafely(() => callback(state))
    },
    /** Returns when the announced notes are withdrawn, in the service's time, or undefined if there are none. */
    usableUntilMs: () =>
      announced?.status === 'ready' ? Number(announced.validUntil) * 1000 - minRemainingMs : undefined,
  }
}

/** Reports an error of the caller's own code without ending the watch. */
function callSafely(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
