import { decodeNotes, type NotesBody, type OfferedNote } from './decode-notes.ts'
import type { NotesFilter } from './fetch-notes.ts'

export type SetCollector = {
  /**
   * Takes the data of a `notes` event: the notes of one chain. Returns what `GET /notes` would return once it has the new
   * period of every chain in `chainIds`, and undefined before. Throws if the data is malformed.
   */
  add(data: string, chainIds: ReadonlySet<number>): NotesBody | undefined
}

/** Creates a collector of the sets of one period. */
export function createSetCollector({ chainId, maturity }: NotesFilter): SetCollector {
  const tenors = maturity === undefined ? undefined : [maturity].flat()
  const sets = new Map<number, NotesBody>()
  let end = 0n
  return {
    add: (data, chainIds) => {
      const set = decodeNotes(JSON.parse(data))
      const [first] = set.notes
      // A stream that resumes may have sets of earlier periods.
      if (!first || first.validBefore < end || (chainId !== undefined && first.chainId !== chainId)) return undefined
      if (first.validBefore > end) sets.clear()
      end = first.validBefore
      sets.set(first.chainId, set)
      if (![...chainIds].every((id) => sets.has(id))) return undefined
      return join([...sets.values()], tenors)
    },
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
