import type { ClientError } from '../client-error.ts'
import type { ServerTime, TimeSample } from '../server-time.ts'
import type { OfferedNote } from './decode-notes.ts'
import type { FetchedNotes } from './fetch-notes.ts'

/** State that `watchNotes` reports. */
export type NotesState =
  | {
      readonly status: 'ready'
      /** Each note can be submitted for at least `minRemaining` seconds. */
      readonly notes: readonly OfferedNote[]
      /** Tenors on offer in days. */
      readonly availableMaturities: readonly number[] | undefined
      /** When the first note expires, Unix seconds. The notes are withdrawn `minRemaining` seconds before. */
      readonly validUntil: bigint
      /** Service's time minus local time in milliseconds, for a countdown. */
      readonly serverOffsetMs: number
    }
  | {
      readonly status: 'waiting'
      /** Boundary with new notes, Unix seconds. Until then no note can be submitted in time. */
      readonly until: bigint
    }
  | {
      readonly status: 'failing'
      readonly error: ClientError
      /** Time of the next retry, Unix milliseconds of the local clock; undefined if it is not retried. */
      readonly retryAt: number | undefined
    }

export type WatchFailure = { readonly error: ClientError; readonly retryAt: number | undefined }

/** Response and the service's time as of the last look. */
export type TimedNotes = { readonly fetched: FetchedNotes; readonly time: ServerTime }

type View = {
  readonly answer: TimedNotes | undefined
  readonly failure: WatchFailure | undefined
}

/** Returns the state that callers see, or undefined before the first answer or failure. */
export function stateOf({ answer, failure }: View, minRemainingMs: number): NotesState | undefined {
  const ready = answer && readyState(answer, minRemainingMs)
  if (ready) return ready
  if (failure) return { status: 'failing', error: failure.error, retryAt: failure.retryAt }
  const until = answer && nextBoundary(answer)
  return until === undefined ? undefined : { status: 'waiting', until }
}

function readyState({ fetched, time }: TimedNotes, minRemainingMs: number): NotesState | undefined {
  const { answer } = fetched
  const notes = usableNotes(answer.notes, { time, minRemainingMs })
  const validUntil = firstEnd(notes)
  if (validUntil === undefined) return undefined
  const { availableMaturities } = answer
  return { status: 'ready', notes, availableMaturities, validUntil, serverOffsetMs: offsetOf(fetched.time) }
}

/** Returns the notes that the pool accepts now and for `minRemainingMs` more, for every possible service time. */
function usableNotes(
  notes: readonly OfferedNote[],
  { time, minRemainingMs }: { readonly time: ServerTime; readonly minRemainingMs: number },
): readonly OfferedNote[] {
  return notes.filter(({ validAfter, validBefore }) => {
    const isValid = time.earliest >= (Number(validAfter) + 1) * 1000
    return isValid && time.latest + minRemainingMs <= Number(validBefore) * 1000
  })
}

/** Returns the earliest end of the notes that may still be valid, Unix seconds, or undefined if there is none. */
export function nextBoundary({ fetched, time }: TimedNotes): bigint | undefined {
  return firstEnd(fetched.answer.notes.filter(({ validBefore }) => Number(validBefore) * 1000 > time.earliest))
}

/** Returns whether two states are equal. Small differences of the offset are ignored. */
export function isSameState(before: NotesState | undefined, after: NotesState): boolean {
  if (before?.status === 'ready' && after.status === 'ready') {
    const isSameTime = Math.abs(before.serverOffsetMs - after.serverOffsetMs) <= 2_000
    return isSameTime && isSameSet(before.notes, after.notes)
  }
  if (before?.status === 'waiting' && after.status === 'waiting') return before.until === after.until
  return before?.status === 'failing' && after.status === 'failing' && before.error === after.error
}

/** Returns the offset as of the response: between two responses the local clocks may diverge. */
function offsetOf({ earliest, latest, readAt }: TimeSample): number {
  return Math.round((earliest + latest) / 2 - readAt.wall)
}

function firstEnd(notes: readonly OfferedNote[]): bigint | undefined {
  const ends = notes.map(({ validBefore }) => validBefore)
  return ends.reduce<bigint | undefined>((first, end) => (first === undefined || end < first ? end : first), undefined)
}

function isSameSet(before: readonly OfferedNote[], after: readonly OfferedNote[]): boolean {
  const isSameNote = (one: OfferedNote, other: OfferedNote | undefined) =>
    one === other || (one.chainId === other?.chainId && one.signature.r === other.signature.r)
  return before.length === after.length && before.every((note, index) => isSameNote(note, after[index]))
}
