import { type NotesResponse, notesResponseSchema, type WireNote } from '@tallystick/core'

export type Span = { readonly fromMs: number; readonly toMs: number }

type ServedNotes = {
  readonly path: string
  readonly body: string
  /** Possible true times of the request, Unix milliseconds. */
  readonly times: readonly Span[]
  /** Tolerated time outside of a note's period. */
  readonly toleranceMs: number
}

export type Ledger = {
  /** Adds a successful response of `/notes`. Returns its violations and its new notes. */
  take(served: ServedNotes): { readonly violations: readonly string[]; readonly fresh: readonly WireNote[] }
  /** Adds a coupon of `/rate`. Its notes may be served later: at a boundary, either endpoint may be first. */
  takeRate(rate: Rate): void
  /** Returns the coupons of `/rate` that differ from all served notes of their maturity. */
  unservedRates(): readonly Rate[]
  /** Returns every served note once. */
  notes(): readonly WireNote[]
}

type Rate = Pick<WireNote, 'chainid' | 'maturity_timestamp' | 'coupon'>

type Parsed = {
  readonly windows: readonly Window[]
  readonly faults: readonly string[]
  readonly fresh: readonly WireNote[]
}
type Window = { readonly startMs: number; readonly endMs: number; readonly words: string }

/** Creates a record of all responses of `/notes` on all replicas, to detect contradictions between them. */
export function createLedger(): Ledger {
  const noteOf = new Map<string, WireNote>()
  const bodyOf = new Map<string, string>()
  const couponsOf = new Map<string, Set<string>>()
  const parsedOf = new Map<string, Parsed>()
  const rateOf = new Map<string, Rate>()

  const takeNote = (note: WireNote): string | undefined => {
    const key = `${note.chainid} ${note.signature_valid_after} ${note.maturity_timestamp}`
    const known = noteOf.get(key)
    const coupons = couponsOf.get(`${note.chainid} ${note.maturity_timestamp}`) ?? new Set<string>()
    couponsOf.set(`${note.chainid} ${note.maturity_timestamp}`, coupons.add(note.coupon))
    if (!known) noteOf.set(key, note)
    if (!known || JSON.stringify(known) === JSON.stringify(note)) return undefined
    return `a second signature for chain ${note.chainid}, period after ${note.signature_valid_after}, maturity ${note.maturity_timestamp}`
  }
  const isFirst = (key: string, content: string): boolean => {
    const first = bodyOf.get(key) ?? content
    bodyOf.set(key, first)
    return first === content
  }
  const parse = (path: string, body: string): Parsed => {
    const result = parseNotes(body)
    if (typeof result === 'string') return { windows: [], faults: [result], fresh: [] }
    const { data } = result
    const before = noteOf.size
    const faults = data.flatMap((note) => takeNote(note) ?? [])
    const fresh = [...noteOf.values()].slice(before)
    const windows = [...new Map(data.map((note) => [note.signature_valid_after, toWindow(note)])).values()]
    const chains = [...new Set(data.map(({ chainid }) => chainid))]
    const key = `${path} ${windows.map(({ words }) => words)} ${chains}`
    // The message says why a chain has no notes, which may change.
    const isSame = isFirst(key, JSON.stringify(data)) && isFirst(`${key} ${result.message}`, body)
    if (!isSame) faults.push(`${path} was served with another body in the same period`)
    if (data.length === 0) faults.push('a response without notes')
    return { windows, faults, fresh }
  }
  return {
    take: ({ path, body, times, toleranceMs }) => {
      const key = `${path} ${body}`
      const known = parsedOf.get(key)
      const { windows, faults, fresh } = known ?? parse(path, body)
      if (!known) parsedOf.set(key, { windows, faults, fresh: [] })
      const words = windows.flatMap((window) => findUntimely(window, { times, toleranceMs }) ?? [])
      return { violations: [...faults, ...words], fresh }
    },
    takeRate: ({ chainid, maturity_timestamp, coupon }) => {
      rateOf.set(`${chainid} ${maturity_timestamp} ${coupon}`, { chainid, maturity_timestamp, coupon })
    },
    unservedRates: () =>
      [...rateOf.values()].filter(
        ({ chainid, maturity_timestamp, coupon }) =>
          couponsOf.get(`${chainid} ${maturity_timestamp}`)?.has(coupon) === false,
      ),
    notes: () => [...noteOf.values()],
  }
}

function parseNotes(body: string): NotesResponse | string {
  try {
    return notesResponseSchema.parse(JSON.parse(body))
  } catch {
    return `an invalid body of /notes: ${body.slice(0, 100)}`
  }
}

/** Returns the window of a note. The chain's comparison excludes both ends. */
function toWindow({ signature_valid_after, signature_valid_before }: WireNote): Window {
  return {
    startMs: (Number(signature_valid_after) + 1) * 1000,
    endMs: Number(signature_valid_before) * 1000,
    words: `${signature_valid_after} to ${signature_valid_before}`,
  }
}

/** Returns a message if a note was served outside its window, or undefined. */
function findUntimely(
  { startMs, endMs, words }: Window,
  { times, toleranceMs }: Pick<ServedNotes, 'times' | 'toleranceMs'>,
): string | undefined {
  const isTimely = times.some(({ fromMs, toMs }) => toMs + toleranceMs >= startMs && fromMs - toleranceMs < endMs)
  if (isTimely) return undefined
  const isEarly = times.some(({ toMs }) => toMs < startMs)
  const time = times.map(({ fromMs, toMs }) => `${fromMs / 1000} to ${toMs / 1000}`).join(' or ')
  return `${isEarly ? 'an early' : 'a late'} note: it is valid from ${words}, the time was ${time}`
}
