import type { Client, ClientError, NotesState, OfferedNote } from '@tallystick/client'
import { useEffect, useState } from 'preact/hooks'
import { useRecoveries } from '../reach/page-reachability.ts'

/** Last notes received. The page shows them as expired while the next ones load. */
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

/** Returns the notes the page shows. A new client starts with none. */
export function useNotes(client: Client | undefined, { stream }: { readonly stream: boolean }): NotesOnPage {
  const [shown, setShown] = useState<{ readonly client: Client; readonly state: NotesOnPage }>()
  // After a loss the watch may wait a minute before it asks again, and its stream five. A new one asks at once.
  const recoveries = useRecoveries()
  useEffect(() => {
    if (!client) return undefined
    const update = (state: NotesState) => {
      setShown((before) => {
        const known = before?.client === client ? before.state : nothing
        return { client, state: reduceState(known, state) }
      })
    }
    // Notes are shown until they expire: the countdown displays the time left.
    return client.watchNotes(update, { minRemaining: 0, stream })
  }, [client, stream, recoveries])
  return shown && shown.client === client ? shown.state : nothing
}

function reduceState(known: NotesOnPage, state: NotesState): NotesOnPage {
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

/** Returns whether the notes shown have expired: the boundary has passed and the next notes have not loaded yet. */
export function useHasExpired(view: NotesView | undefined): boolean {
  const leftMs = () => (view ? Number(view.validUntil) * 1000 - Date.now() - view.serverOffsetMs : 1)
  const [hasExpired, setHasExpired] = useState(leftMs() <= 0)
  useEffect(() => {
    setHasExpired(leftMs() <= 0)
    // Checks every second, because a long timer pauses while the machine sleeps.
    const timer = setInterval(() => setHasExpired(leftMs() <= 0), 1_000)
    return () => clearInterval(timer)
  }, [view])
  return hasExpired
}
