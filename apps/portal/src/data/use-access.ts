import type { PortalInfo } from '@tallystick/core'
import { useCallback, useState } from 'preact/hooks'
import { createSession, type Session } from './session.ts'
import { useNotes } from './use-notes.ts'

/** The visitor's key, what it gives access to, or why it does not. */
export type Access = ReturnType<typeof useAccess>

/** Returns the access by the current key. A malformed key is reported at once and never sent. */
export function useAccess(info: PortalInfo) {
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
    /** Undefined without a key, and with one that is malformed or that the service rejected. */
    session: rejection ? undefined : session,
    notes,
    /** Why the last key is not valid. */
    error: error ?? rejection,
    /** The key that the service rejected. */
    rejectedKey: rejection && session?.apiKey,
    setKey: (apiKey: string) => setState(open(apiKey)),
  }
}
