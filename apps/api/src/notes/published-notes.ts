import { createHash } from 'node:crypto'
import { encodeNote, formatPeriod, type NotesResponse } from '@tallystick/core'
import type { NoteSet } from './note-set.ts'

export type NotesFilter = {
  /** Undefined is every chain. */
  readonly chainId?: number | undefined
  /** Tenors in days; undefined is all of them. */
  readonly tenors?: readonly number[] | undefined
}

/** An answer made once and sent many times. */
export type NotesAnswer = {
  readonly body: Buffer
  readonly etag: string
  /** Whether every chain asked for is in it. */
  readonly complete: boolean
}

export type PublishedPeriod = {
  readonly startMs: number
  readonly endMs: number
  readonly sets: ReadonlyMap<number, NoteSet>
  /** Tenors on offer in days, ascending. */
  tenors(chainId: number | undefined): readonly number[]
  /** Undefined if there is no note of any chain asked for. */
  answer(filter: NotesFilter): NotesAnswer | undefined
}

export type PublishedNotes = {
  publish(set: NoteSet): void
  /** What is on offer at an instant. Nothing outside its own period is ever found. */
  at(nowMs: number): PublishedPeriod | undefined
  /** The set of a chain for a period, whether its time has come or not, and whether it is withheld or not. */
  find(chainId: number, periodStart: bigint): NoteSet | undefined
  /** Takes a set out of what is on offer, or puts it back. It stays in memory. */
  setWithheld(set: NoteSet, isWithheld: boolean): void
  /** Forgets a set that was deleted from the database. */
  drop(chainId: number, periodStart: bigint): void
}

// The period before, this one and the next: a clock that is set back by minutes finds its notes still there, and one
// that came back from far ahead is not pushed out by what it published there.
const periodsMax = 3
// Chains times subsets of maturities are many; what is asked for more often than this is cheap to make again.
const answersMax = 256

/**
 * The notes in memory. The next period's lie here before its time, and the switch is the reader's own clock reading
 * falling into another period: no timer decides it, so none can be late.
 */
export function createPublishedNotes(chainIds: readonly number[]): PublishedNotes {
  let periods: readonly KeptPeriod[] = []
  const withheld = new Set<string>()
  const offerOf = (startMs: number, sets: ReadonlyMap<number, NoteSet>): KeptPeriod => {
    const onOffer = new Map([...sets].filter(([, candidate]) => !withheld.has(keyOf(candidate))))
    return { startMs, sets, offered: onOffer.size > 0 ? createPeriod(onOffer, chainIds) : undefined }
  }
  const keep = (set: NoteSet) => {
    const startMs = Number(set.period.start) * 1000
    const known = periods.find((period) => period.startMs === startMs)
    const sets = new Map(known?.sets).set(set.chainId, set)
    const others = periods.filter((period) => period !== known)
    periods = [offerOf(startMs, sets), ...others]
      .sort((a, b) => Math.abs(a.startMs - startMs) - Math.abs(b.startMs - startMs))
      .slice(0, periodsMax)
  }
  const find = (chainId: number, periodStart: bigint) =>
    periods.find(({ startMs }) => startMs === Number(periodStart) * 1000)?.sets.get(chainId)
  return {
    publish: keep,
    at: (nowMs) => periods.find(({ offered }) => offered && offered.startMs <= nowMs && nowMs < offered.endMs)?.offered,
    find,
    setWithheld: (set, isWithheld) => {
      if (withheld.has(keyOf(set)) === isWithheld) return
      if (isWithheld) withheld.add(keyOf(set))
      else withheld.delete(keyOf(set))
      if (find(set.chainId, set.period.start)) keep(set)
    },
    drop: (chainId, periodStart) => {
      periods = periods.flatMap((period) => {
        if (period.startMs !== Number(periodStart) * 1000) return [period]
        const sets = new Map([...period.sets].filter(([id]) => id !== chainId))
        return sets.size > 0 ? [offerOf(period.startMs, sets)] : []
      })
    },
  }
}

/** A period in memory: all its sets, and what is on offer of them. */
type KeptPeriod = {
  readonly startMs: number
  readonly sets: ReadonlyMap<number, NoteSet>
  readonly offered: PublishedPeriod | undefined
}

function keyOf({ chainId, period }: NoteSet): string {
  return `${chainId}:${period.start}`
}

/** The same notes, of which none is on offer while the clocks disagree about which period it is. */
export function withClockCheck(published: PublishedNotes, agrees: (nowMs: number) => boolean): PublishedNotes {
  return { ...published, at: (nowMs) => (agrees(nowMs) ? published.at(nowMs) : undefined) }
}

function createPeriod(sets: ReadonlyMap<number, NoteSet>, chainIds: readonly number[]): PublishedPeriod {
  const [{ period }] = [...sets.values()] as [NoteSet]
  const answers = new Map<string, NotesAnswer>()
  const setsOf = (chainId: number | undefined) =>
    [...sets.values()].filter((set) => chainId === undefined || set.chainId === chainId)
  const missing = chainIds.filter((chainId) => !sets.has(chainId))
  const tenors = (chainId: number | undefined) =>
    [...new Set(setsOf(chainId).flatMap((set) => set.notes.map((note) => note.tenorDays)))].sort((a, b) => a - b)
  const answer = (filter: NotesFilter) => {
    const key = `${filter.chainId ?? ''}|${filter.tenors ?? ''}`
    const known = answers.get(key)
    if (known) return known
    const chosen = setsOf(filter.chainId)
    if (chosen.length === 0) return undefined
    const absent = filter.chainId === undefined ? missing : []
    const message = `Treasury notes of ${formatPeriod(period)}.${absent.length === 0 ? '' : ` None are available for chain ${absent.join(', ')}.`}`
    const made = makeAnswer({ message, data: encodeSets(chosen, filter), availableMaturities: tenors(filter.chainId) })
    if (answers.size < answersMax) answers.set(key, { ...made, complete: absent.length === 0 })
    return { ...made, complete: absent.length === 0 }
  }

  // The answers nearly everyone asks for are made before the period begins, not by its first caller.
  answer({})
  for (const chainId of sets.keys()) answer({ chainId })
  return { startMs: Number(period.start) * 1000, endMs: Number(period.end) * 1000, sets, tenors, answer }
}

function encodeSets(sets: readonly NoteSet[], { tenors }: NotesFilter): NotesResponse['data'] {
  return sets
    .toSorted((a, b) => a.chainId - b.chainId)
    .flatMap((set) => set.notes.filter((note) => tenors === undefined || tenors.includes(note.tenorDays)))
    .map(encodeNote)
}

function makeAnswer(response: NotesResponse): Omit<NotesAnswer, 'complete'> {
  const body = Buffer.from(JSON.stringify(response))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}
