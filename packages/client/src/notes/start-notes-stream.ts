import type { Reading } from '../environment.ts'
import type { ServerEvent } from '../events/event-parser.ts'
import { followEvents } from '../events/follow-events.ts'
import type { Connection } from '../http/connection.ts'
import { decodeNotes, type NotesBody, type OfferedNote } from './decode-notes.ts'
import type { NotesFilter } from './fetch-notes.ts'
import { acceptStreamed, expectChange, type Watch } from './watch-machine.ts'

type Change = (watch: Watch, outcome: { readonly reading: Reading; readonly random: () => number }) => Watch

export type NotesStreamOptions = {
  readonly filter: NotesFilter
  readonly signal: AbortSignal
  /** Returns the chains whose sets are waited for. Without any, sets are not taken from the stream. */
  readonly chainIds: () => ReadonlySet<number>
  readonly onChange: (change: Change) => void
}

/** Changes a watch by the events of the service, in the background. */
export function startNotesStream(
  connection: Connection,
  { filter, signal, chainIds, onChange }: NotesStreamOptions,
): void {
  const collect = createSetCollector(filter)
  const takeSet = (data: string) => {
    const expected = chainIds()
    const body = expected.size > 0 ? collect(data, expected) : undefined
    if (body) onChange((watch, outcome) => acceptStreamed(watch, { ...outcome, body }))
  }
  const onEvent = ({ event, data }: ServerEvent) => {
    try {
      if (event === 'notes') takeSet(data)
      // Notes of the period were withheld or released, or events are missing.
      else if (event === 'reset' || (event === 'status' && changesNotes(data, filter))) onChange(expectChange)
    } catch {
      // An event of another form: the request at the boundary has the notes.
    }
  }
  const query = filter.chainId === undefined ? '' : `?chainid=${filter.chainId}`
  const onLive = (isLive: boolean) => onChange((watch) => ({ ...watch, isLive }))
  void followEvents(connection, { query, signal, onEvent, onLive })
}

function changesNotes(data: string, { chainId }: NotesFilter): boolean {
  const { changed, chainid } = JSON.parse(data) as Readonly<Record<string, unknown>>
  const isWatched = chainId === undefined || chainid === String(chainId)
  return isWatched && Array.isArray(changed) && changed.includes('availableMaturities')
}

/**
 * Creates a function that collects the sets of one period. It takes the data of a `notes` event: the notes of one chain. It
 * returns what `GET /notes` would return once it has the new period of every chain in `chainIds`, and undefined before. It
 * throws if the data is malformed.
 */
function createSetCollector({ chainId, maturity }: NotesFilter) {
  const tenors = maturity === undefined ? undefined : [maturity].flat()
  const sets = new Map<number, NotesBody>()
  let end = 0n
  return (data: string, chainIds: ReadonlySet<number>): NotesBody | undefined => {
    const set = decodeNotes(JSON.parse(data))
    const [first] = set.notes
    // A stream that resumes may have sets of earlier periods.
    if (!first || first.validBefore < end || (chainId !== undefined && first.chainId !== chainId)) return undefined
    if (first.validBefore > end) sets.clear()
    end = first.validBefore
    sets.set(first.chainId, set)
    if (![...chainIds].every((id) => sets.has(id))) return undefined
    return join([...sets.values()], tenors)
  }
}

function join(sets: readonly NotesBody[], tenors: readonly number[] | undefined): NotesBody | undefined {
  const notes = sets
    .flatMap((set) => set.notes)
    .filter(({ tenorDays }) => tenors === undefined || tenors.includes(tenorDays))
    .sort(byChainAndMaturity)
  const available = new Set(sets.flatMap(({ availableMaturities = [] }) => availableMaturities))
  if (notes.length === 0) return undefined
  return { message: sets[0]?.message ?? '', notes, availableMaturities: [...available].sort((a, b) => a - b) }
}

function byChainAndMaturity(a: OfferedNote, b: OfferedNote): number {
  return a.chainId - b.chainId || Number(a.maturityTimestamp - b.maturityTimestamp)
}
