import type { PortalInfo } from '@tallystick/core'
import { useCallback, useState } from 'preact/hooks'
import { createSession, type Session } from './session.ts'
import { type NotesOnPage, useNotes } from './use-notes.ts'

/** The visitor's key, what it gives access to, or why it does not. */
export type Access = {
  /** Undefined without a key, and with one that is malformed or that the service rejected. */
  readonly session: Session | undefined
  readonly notes: NotesOnPage
  /** Why the last key is not valid. */
  readonly error: unknown
  /** The key that the service rejected. */
  readonly rejectedKey: string | undefined
  readonly setKey: (apiKey: string) => void
}

/** Returns the access by the current key. A malformed key is reported at once and never sent. */
export function useAccess(info: PortalInfo): Access {
  const open = useCallback(
    (apiKey: string): { readonly session?: Session; readonly error?: unknown } => {
      try {
        return { session: createSession(apiKey, info) }
      } catch (error) {
        return { error }
      }
    },
    [info],
  )
  const [{ session, error }, setState] = useState(() => (info.visitor ? open(info.visitor.apiKey) : {}))
  const notes = useNotes(session?.client)
  const rejection = notes.failure?.error.code === 'invalid_api_key' ? notes.failure.error : undefined
  return {
    session: rejection ? undefined : session,
    notes,
    error: error ?? rejection,
    rejectedKey: rejection && session?.apiKey,
    setKey: (apiKey) => setState(open(apiKey)),
  }
}
