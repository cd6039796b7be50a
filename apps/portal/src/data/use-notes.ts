import type { Client, ClientError, NotesState, OfferedNote } from '@tallystick/client'
import { useEffect, useState } from 'preact/hooks'

/** The last notes that came. They stay in sight while the next ones are on their way, marked as over. */
export type NotesView = {
  readonly notes: readonly OfferedNote[]
  readonly validFrom: bigint
  readonly validUntil: bigint
  readonly serverOffsetMs: number
}

export type NotesOnPage = {
  readonly view: NotesView | undefined
  readonly failure: { readonly error: ClientError; readonly retryAt: number | undefined } | undefined
}

const nothing: NotesOnPage = { view: undefined, failure: undefined }

/** What the page shows of the notes. A new client begins with nothing. */
export function useNotes(client: Client | undefined): NotesOnPage {
  const [shown, setShown] = useState<{ readonly client: Client; readonly state: NotesOnPage } | undefined>(undefined)
  useEffect(() => {
    if (!client) return undefined
    const take = (state: NotesState) => {
      setShown((before) => {
        const known = before?.client === client ? before.state : nothing
        return { client, state: takeIn(known, state) }
      })
    }
    // Until the very end: this page only shows them, and its countdown says how long they last.
    return client.watchNotes(take, { minRemaining: 0 })
  }, [client])
  return shown && shown.client === client ? shown.state : nothing
}

function takeIn(known: NotesOnPage, state: NotesState): NotesOnPage {
  switch (state.status) {
    case 'ready': {
      const { notes, validUntil, serverOffsetMs } = state
      const validFrom = notes.reduce((latest, { validAfter }) => (validAfter > latest ? validAfter : latest), 0n) + 1n
      return { view: { notes, validFrom, validUntil, serverOffsetMs }, failure: undefined }
    }
    case 'failing':
      return { view: known.view, failure: { error: state.error, retryAt: state.retryAt } }
    case 'waiting':
      return known
  }
}
