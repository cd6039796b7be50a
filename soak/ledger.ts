import { type NotesResponse, notesResponseSchema, type WireNote } from '@tallystick/core'

export type Span = { readonly fromMs: number; readonly toMs: number }

export type ServedNotes = {
  readonly path: string
  readonly body: string
  /** What the true time may have been while the request was under way, Unix milliseconds. */
  readonly times: readonly Span[]
  /** How far outside its period a note may be served. */
  readonly toleranceMs: number
}

export type Ledger = {
  /** Takes in a good answer of `/notes`. What it breaks, and the notes that were never seen before. */
  take(served: ServedNotes): { readonly violations: readonly string[]; readonly fresh: readonly WireNote[] }
  /** Takes in a coupon that `/rate` told. The notes that have it may be served later: at a boundary either may be first. */
  takeRate(rate: Rate): void
  /** The coupons that `/rate` told for a maturity whose notes were served, none of them with that coupon. */
  unservedRates(): readonly Rate[]
  /** Every note that was ever served, once. */
  notes(): readonly WireNote[]
}

type Rate = Pick<WireNote, 'chainid' | 'maturity_timestamp' | 'coupon'>

type Parsed = {
  readonly windows: readonly Window[]
  readonly faults: readonly string[]
  readonly fresh: readonly WireNote[]
}
type Window = { readonly startMs: number; readonly endMs: number; readonly words: string }

/** Everything `/notes` ever said, on whichever replica: what it says next has to agree with it. */
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
    const first = bodyOf.get(key)
    if (first === undefined) bodyOf.set(key, body)
    else if (first !== body) faults.push(`another body of ${path} than was served before for the same period`)
    if (data.length === 0) faults.push('an answer without notes')
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
    return `a body of /notes that is not what the specification says: ${body.slice(0, 100)}`
  }
}

/** The chain's comparison excludes both ends. */
function toWindow({ signature_valid_after, signature_valid_before }: WireNote): Window {
  return {
    startMs: (Number(signature_valid_after) + 1) * 1000,
    endMs: Number(signature_valid_before) * 1000,
    words: `${signature_valid_after} to ${signature_valid_before}`,
  }
}

/** In words; undefined where it may have been the time for the note. */
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
