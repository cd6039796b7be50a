import { etagOf, toSeconds } from '@tallystick/base'
import { encodeNote, formatPeriod, type NotesResponse, periodAt } from '@tallystick/core'
import type { NoteSet } from './note-set.ts'

export type NotesFilter = {
  /** Undefined means every chain. */
  readonly chainId?: number | undefined
  /** Tenors in days; undefined means all. */
  readonly tenors?: readonly number[] | undefined
}

/** A prepared response body of `GET /notes`. */
export type NotesAnswer = {
  readonly body: Buffer
  readonly etag: string
  /** Where its sets are in the public log: the header `x-tallystick-log`. Undefined without a log. */
  readonly log: string | undefined
  /** Whether it includes every requested chain, with all notes of its set. */
  readonly complete: boolean
  /** End of its period. */
  readonly endMs: number
}

export type PublishedPeriod = {
  readonly startMs: number
  readonly endMs: number
  readonly sets: ReadonlyMap<number, NoteSet>
  /** Returns the available tenors in days, ascending. */
  tenors(chainId: number | undefined): readonly number[]
  /** Returns undefined if no requested chain has a requested note. */
  answer(filter: NotesFilter): NotesAnswer | undefined
}

/** Notes of a set that are not served, by tenor, and a clause for integrators that says why. */
export type WithheldNotes = { readonly tenors: readonly number[]; readonly clause: string }

export type PublishedNotes = {
  publish(set: NoteSet): void
  /** Returns the notes that are valid at an instant and not withheld. */
  at(nowMs: number): PublishedPeriod | undefined
  /** Returns the set of a chain and period, also if it is withheld or its period has not started. */
  find(chainId: number, periodStart: bigint): NoteSet | undefined
  /** Excludes these tenors of a chain and period from `at`, and includes the others again. All stay in memory. */
  setWithheld(set: Pick<NoteSet, 'chainId' | 'period'>, withheld: WithheldNotes | undefined): void
  /** Returns which notes of a chain are withheld at an instant, and why. */
  findWithheld(chainId: number, nowMs: number): WithheldNotes | undefined
  /** Removes a set that was deleted from the database. */
  drop(chainId: number, periodStart: bigint): void
}

// The previous, the current and the next period. A clock that is set back by minutes still finds its notes. The periods
// nearest to a new set are kept, so sets published with a clock far ahead do not displace the current ones.
const periodsMax = 3
// Bounds the memory: there are many combinations of chains and maturities, and an answer is cheap to create again.
const answersMax = 256

/**
 * Creates the in-memory store of notes. `origin` is that of the public log, if there is one. The next period's notes are in it
 * before the boundary, and each reader selects the period by its own clock reading, so no timer can be late.
 */
export function createPublishedNotes(chainIds: readonly number[], origin?: string): PublishedNotes {
  let periods: readonly KeptPeriod[] = []
  const withheld = new Map<string, WithheldNotes>()
  const withheldFrom = (set: NoteSet | undefined) => set && withheld.get(keyOf(set))
  const createKept = (startMs: number, sets: ReadonlyMap<number, NoteSet>): KeptPeriod => {
    const served = [...sets.values()].flatMap((set) => withoutTenors(set, withheld.get(keyOf(set))?.tenors ?? []))
    const isWhole = (set: NoteSet) => set.notes.length === sets.get(set.chainId)?.notes.length
    const withheldOf = (chainId: number) => withheldFrom(sets.get(chainId))
    return {
      startMs,
      sets,
      offered: served.length > 0 ? createPeriod(served, { chainIds, isWhole, withheldOf, origin }) : undefined,
    }
  }
  const keep = (set: NoteSet) => {
    const startMs = Number(set.period.start) * 1000
    const known = periods.find((period) => period.startMs === startMs)
    const sets = new Map(known?.sets).set(set.chainId, set)
    const others = periods.filter((period) => period !== known)
    periods = [createKept(startMs, sets), ...others]
      .sort((a, b) => Math.abs(a.startMs - startMs) - Math.abs(b.startMs - startMs))
      .slice(0, periodsMax)
  }
  const find = (chainId: number, periodStart: bigint) =>
    periods.find(({ startMs }) => startMs === Number(periodStart) * 1000)?.sets.get(chainId)
  return {
    publish: keep,
    at: (nowMs) => periods.find(({ offered }) => offered && offered.startMs <= nowMs && nowMs < offered.endMs)?.offered,
    find,
    findWithheld: (chainId, nowMs) => withheldFrom(find(chainId, periodAt(toSeconds(nowMs)).start)),
    setWithheld: (set, notes) => {
      if (notes) withheld.set(keyOf(set), notes)
      else if (!withheld.delete(keyOf(set))) return
      // Another set may have been published since the caller read its own.
      const published = find(set.chainId, set.period.start)
      if (published) keep(published)
    },
    drop: (chainId, periodStart) => {
      periods = periods.flatMap((period) => {
        if (period.startMs !== Number(periodStart) * 1000) return [period]
        const sets = new Map([...period.sets].filter(([id]) => id !== chainId))
        return sets.size > 0 ? [createKept(period.startMs, sets)] : []
      })
    },
  }
}

/** A period in memory: all its sets, and those that are not withheld. */
type KeptPeriod = {
  readonly startMs: number
  readonly sets: ReadonlyMap<number, NoteSet>
  readonly offered: PublishedPeriod | undefined
}

/** Returns the set without some tenors, or nothing if no note is left. */
function withoutTenors(set: NoteSet, tenors: readonly number[]): NoteSet[] {
  const notes = set.notes.filter(({ tenorDays }) => !tenors.includes(tenorDays))
  return notes.length > 0 ? [{ ...set, notes }] : []
}

function keyOf({ chainId, period }: Pick<NoteSet, 'chainId' | 'period'>): string {
  return `${chainId}:${period.start}`
}

/** Returns the same store, whose `at` finds nothing while the clocks disagree about the current period. */
export function withClockCheck(published: PublishedNotes, agrees: (nowMs: number) => boolean): PublishedNotes {
  return { ...published, at: (nowMs) => (agrees(nowMs) ? published.at(nowMs) : undefined) }
}

/** A filter, and the chains that it selects with the tenors that they offer. */
type NotesQuestion = {
  readonly filter: NotesFilter
  readonly chains: readonly { readonly id: number; readonly tenors: readonly number[] }[]
}

/** Creates the functions that answer a question at an instant. */
export function askNotes(published: Pick<PublishedNotes, 'at' | 'find'>, { filter, chains }: NotesQuestion) {
  const configured = chains.flatMap(({ tenors }) => tenors)
  const others = filter.tenors?.filter((tenor) => !configured.includes(tenor)) ?? []
  /** Returns the sets in memory, also those that are withheld or whose period is disputed. */
  const findSets = (nowMs: number) => {
    const { start } = periodAt(toSeconds(nowMs))
    return chains.flatMap(({ id }) => published.find(id, start) ?? [])
  }
  /** Lists the configured tenors, and those signed before the configuration changed. */
  const knownTenors = (nowMs: number): readonly number[] => {
    const signed = findSets(nowMs).flatMap(({ notes }) => notes.map(({ tenorDays }) => tenorDays))
    return [...new Set([...configured, ...signed])].sort((a, b) => a - b)
  }
  let last: { readonly period: PublishedPeriod; readonly answer: NotesAnswer | undefined } | undefined
  return {
    /** Returns undefined if no chain has a requested note, or a requested tenor is not known. */
    answer: (nowMs: number): NotesAnswer | undefined => {
      const period = published.at(nowMs)
      if (!period) return undefined
      if (others.some((tenor) => !knownTenors(nowMs).includes(tenor))) return undefined
      if (last?.period !== period) last = { period, answer: period.answer(filter) }
      return last.answer
    },
    knownTenors,
    hasAllSets: (nowMs: number): boolean => findSets(nowMs).length === chains.length,
  }
}

type PeriodOptions = {
  readonly chainIds: readonly number[]
  readonly isWhole: (set: NoteSet) => boolean
  readonly withheldOf: (chainId: number) => WithheldNotes | undefined
  /** Origin of the public log, if there is one. */
  readonly origin: string | undefined
}

function createPeriod(
  served: readonly NoteSet[],
  { chainIds, isWhole, withheldOf, origin }: PeriodOptions,
): PublishedPeriod {
  const sets = new Map(served.toSorted((a, b) => a.chainId - b.chainId).map((set) => [set.chainId, set]))
  const [{ period }] = served as [NoteSet]
  const answers = new Map<string, NotesAnswer>()
  const setsOf = (chainId: number | undefined) =>
    [...sets.values()].filter((set) => chainId === undefined || set.chainId === chainId)
  const isWithheld = (chainId: number) => withheldOf(chainId) !== undefined
  const missing = chainIds.filter((chainId) => !sets.has(chainId))
  const title = `Treasury notes of ${formatPeriod(period)}.`
  const tenors = (chainId: number | undefined) =>
    [...new Set(setsOf(chainId).flatMap((set) => set.notes.map((note) => note.tenorDays)))].sort((a, b) => a - b)
  const answer = (filter: NotesFilter) => {
    const key = `${filter.chainId ?? ''}|${filter.tenors ?? ''}`
    const known = answers.get(key)
    if (known) return known
    const chosen = setsOf(filter.chainId)
    const data = encodeSets(chosen, filter)
    if (data.length === 0) return undefined
    const absent = filter.chainId === undefined ? missing : []
    const unexplained = absent.filter((chainId) => !isWithheld(chainId))
    const none = unexplained.length === 0 ? [] : [`None are available for chain ${unexplained.join(', ')}.`]
    const requested = filter.chainId === undefined ? chainIds : [filter.chainId]
    const message = [title, ...none, ...requested.flatMap((id) => describeWithheld(id, withheldOf(id)))].join(' ')
    const response: NotesResponse = { message, data, availableMaturities: tenors(filter.chainId) }
    const body = Buffer.from(JSON.stringify(response))
    const complete = absent.length === 0 && chosen.every(isWhole)
    const log = origin === undefined ? undefined : formatPlaces(chosen, origin)
    const created = { body, etag: etagOf(body), complete, log, endMs: Number(period.end) * 1000 }
    if (answers.size < answersMax) answers.set(key, created)
    return created
  }

  // The most common answers are created before the period begins, not by its first request.
  answer({})
  for (const chainId of sets.keys()) answer({ chainId })
  return { startMs: Number(period.start) * 1000, endMs: Number(period.end) * 1000, sets, tenors, answer }
}

/** Describes the notes of a chain that are withheld, and why. */
export function describeWithheld(chainId: number, withheld: WithheldNotes | undefined): string[] {
  if (!withheld) return []
  return [`The notes of ${withheld.tenors.join(', ')} days on chain ${chainId} are withheld: ${withheld.clause}.`]
}

function encodeSets(sets: readonly NoteSet[], { tenors }: NotesFilter): NotesResponse['data'] {
  return sets
    .flatMap((set) => set.notes.filter((note) => tenors === undefined || tenors.includes(note.tenorDays)))
    .map(encodeNote)
}

/** Formats the places of sets in the public log, in the order of the notes of an answer. */
function formatPlaces(sets: readonly NoteSet[], origin: string): string | undefined {
  const places = sets.flatMap(({ log }) => (log ? [`${origin};index=${log.index};size=${log.size}`] : []))
  return places.length > 0 ? places.join(', ') : undefined
}
