import type { Reading } from '../environment.ts'
import type { ServerEvent } from '../events/event-parser.ts'
import { followEvents } from '../events/follow-events.ts'
import type { Connection } from '../http/connection.ts'
import { createSetCollector } from './collect-sets.ts'
import type { NotesFilter } from './fetch-notes.ts'
import { acceptStreamed, expectChange, type Watch } from './watch-machine.ts'

type Change = (watch: Watch, outcome: { readonly reading: Reading; readonly random: () => number }) => Watch

export type StreamNotesOptions = {
  readonly filter: NotesFilter
  readonly signal: AbortSignal
  /** Returns the chains whose sets are waited for. Without any, sets are not taken from the stream. */
  readonly chainIds: () => ReadonlySet<number>
  readonly onChange: (change: Change) => void
}

/** Changes a watch by the events of the service, in the background. */
export function streamNotes(connection: Connection, { filter, signal, chainIds, onChange }: StreamNotesOptions): void {
  const collector = createSetCollector(filter)
  const takeSet = (data: string) => {
    const expected = chainIds()
    const body = expected.size > 0 ? collector.add(data, expected) : undefined
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
