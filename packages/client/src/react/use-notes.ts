import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Client } from '../create-client.ts'
import type { WatchNotesOptions } from '../notes/watch-notes.ts'
import type { NotesState } from '../notes/watch-state.ts'

/** Options of `useNotes`. */
export type UseNotesOptions = Pick<WatchNotesOptions, 'chainId' | 'maturity' | 'minRemaining' | 'stream'>

/** State of `useNotes`: `loading` at first, after changed arguments and on a server, then that of `watchNotes`. */
export type UseNotesResult = (NotesState | { readonly status: 'loading' }) & {
  /** Starts the watch again, for example after an error that is not retried. */
  readonly refetch: () => void
}

const loading = { status: 'loading' } as const

/**
 * Returns the notes that can be submitted now. They are replaced at each boundary. Create the client once, outside the
 * component: another client starts another watch.
 *
 * @example
 * import { createElement } from 'react'
 * import { renderToString } from 'react-dom/server'
 * function Notes() {
 *   const state = useNotes(client, { chainId: 324, maturity: [7, 30] })
 *   if (state.status === 'ready') return createElement('p', {}, `${state.notes.length} notes until ${state.validUntil}`)
 *   return createElement('p', {}, state.status === 'failing' ? state.error.message : 'Loading')
 * }
 * renderToString(createElement(Notes)) // => '<p>Loading</p>'
 */
export function useNotes(client: Pick<Client, 'watchNotes'>, options: UseNotesOptions = {}): UseNotesResult {
  const { chainId, maturity, minRemaining, stream } = options
  // As text: callers write a new object, and often a new list, in every render.
  const key = JSON.stringify({ chainId, maturity, minRemaining, stream })
  const watch = useMemo(() => ({ client, options: JSON.parse(key) as UseNotesOptions }), [client, key])
  const [attempt, setAttempt] = useState(0)
  const [seen, setSeen] = useState<{ readonly watch: object; readonly state: NotesState } | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts another watch.
  useEffect(() => watch.client.watchNotes((state) => setSeen({ watch, state }), watch.options), [watch, attempt])
  const refetch = useCallback(() => setAttempt((count) => count + 1), [])
  const state = seen && seen.watch === watch ? seen.state : loading
  return useMemo(() => ({ ...state, refetch }), [state, refetch])
}
