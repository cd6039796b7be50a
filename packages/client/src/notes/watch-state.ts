import type { ClientError } from '../errors.ts'
import type { ServerTime, TimeSample } from '../server-time.ts'
import type { OfferedNote } from './decode-notes.ts'
import type { FetchedNotes } from './fetch-notes.ts'

/** What `watchNotes` tells of. */
export type NotesState =
  | {
      readonly status: 'ready'
      /** Each can still be submitted for `minRemaining` seconds at least. */
      readonly notes: readonly OfferedNote[]
      /** Tenors on offer in days. */
      readonly availableMaturities: readonly number[] | undefined
      /** When the first of them expires, Unix seconds. They are taken back `minRemaining` seconds before. */
      readonly validUntil: bigint
      /** What to add to the local clock to have the service's, in milliseconds: for a countdown. */
      readonly serverOffsetMs: number
    }
  | {
      readonly status: 'waiting'
      /** The boundary at which there will be new notes, Unix seconds. Until then nothing could be submitted in time. */
      readonly until: bigint
    }
  | {
      readonly status: 'failing'
      readonly error: ClientError
      /** When it is tried again, Unix milliseconds by the local clock; undefined if trying again is of no use. */
      readonly retryAt: number | undefined
    }

export type WatchFailure = { readonly error: ClientError; readonly retryAt: number | undefined }

/** An answer, and the service's time as it is now known. */
export type TimedNotes = { readonly fetched: FetchedNotes; readonly time: ServerTime }

type View = {
  readonly answer: TimedNotes | undefined
  readonly failure: WatchFailure | undefined
  readonly minRemainingMs: number
}

/** Returns the state that callers see, or undefined before the first answer or failure. */
export function stateOf({ answer, failure, minRemainingMs }: View): NotesState | undefined {
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

/** Those the pool would take now and for a while yet, however the uncertainty about the time falls. */
function usableNotes(
  notes: readonly OfferedNote[],
  { time, minRemainingMs }: { readonly time: ServerTime; readonly minRemainingMs: number },
): readonly OfferedNote[] {
  return notes.filter(({ validAfter, validBefore }) => {
    const isValid = time.earliest >= (Number(validAfter) + 1) * 1000
    return isValid && time.latest + minRemainingMs <= Number(validBefore) * 1000
  })
}

/** When the first note that is not over for certain ends, Unix seconds; undefined if there is none. */
export function nextBoundary({ fetched, time }: TimedNotes): bigint | undefined {
  return firstEnd(fetched.answer.notes.filter(({ validBefore }) => Number(validBefore) * 1000 > time.earliest))
}

/** Whether a state says anything new. Offsets differ a little at each answer. */
export function isSameState(before: NotesState | undefined, after: NotesState): boolean {
  if (before?.status === 'ready' && after.status === 'ready') {
    const isSameTime = Math.abs(before.serverOffsetMs - after.serverOffsetMs) <= 2_000
    return isSameTime && isSameSet(before.notes, after.notes)
  }
  if (before?.status === 'waiting' && after.status === 'waiting') return before.until === after.until
  return before?.status === 'failing' && after.status === 'failing' && before.error === after.error
}

/** As the answer had it: between two answers the clocks may come to disagree, and this must not follow them. */
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
