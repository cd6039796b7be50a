import type { PortalInfo } from '@tallystick/core'
import { useCallback, useState } from 'preact/hooks'
import { type Explanation, explainError, keyRejected, visitorsClosed } from './explain-error.ts'
import { type KeyPlace, keyStore } from './key-store.ts'
import { createSession, type Session } from './session.ts'
import { useNotes } from './use-notes.ts'

/** The access of the person at the page, or why there is none. */
export type Access = ReturnType<typeof useAccess>

type Entrance = {
  /** Undefined without a key where visitors need one, and with a key that is malformed or that the service rejected. */
  readonly session?: Session | undefined
  /** Why the last access ended, or could not begin. */
  readonly fault?: Explanation | undefined
  /** The key that the service rejected. */
  readonly rejectedKey?: string | undefined
  /** Whether the service stopped letting visitors in while the page was open. */
  readonly isClosed?: boolean | undefined
}

/** Returns the access by the key of this browser, or as a visitor. A malformed key is reported at once and never sent. */
export function useAccess(info: PortalInfo) {
  const [entrance, setEntrance] = useState(() => enterFirst(info, (refused) => end(refused)))
  // A session that is not the current one any more may still get a refusal.
  const end = useCallback((refused: Entrance) => {
    if (refused.rejectedKey !== undefined && keyStore.read() === refused.rejectedKey) keyStore.forget()
    setEntrance((current) => {
      const isCurrent = current.session !== undefined && current.session.apiKey === refused.rejectedKey
      return isCurrent ? refused : current
    })
  }, [])
  const { session } = entrance
  const notes = useNotes(session?.client, { stream: session?.apiKey !== undefined })
  return {
    ...entrance,
    notes,
    /** Uses a key. A key without a place is kept nowhere: that of a sandbox, which the page has anyway. */
    setKey: (apiKey: string, place: KeyPlace | undefined) => {
      const entered = enterByKey(info, { apiKey, end })
      if (entered.session && place) keyStore.keep(apiKey, place)
      setEntrance(entered)
    },
    /** Forgets the key, and goes on without one where that is possible. */
    leave: () => {
      keyStore.forget()
      setEntrance(enterWithoutKey(info, end))
    },
    /** Whether the page may be used without a key. */
    isOpen: info.visitors === true && !entrance.isClosed,
  }
}

type End = (refused: Entrance) => void

function enterFirst(info: PortalInfo, end: End): Entrance {
  const apiKey = keyStore.read()
  return apiKey === undefined ? enterWithoutKey(info, end) : enterByKey(info, { apiKey, end })
}

function enterWithoutKey(info: PortalInfo, end: End): Entrance {
  if (info.visitors) {
    const onRefused = () => end({ fault: visitorsClosed, isClosed: true })
    return { session: createSession(info, { apiKey: undefined, onRefused }) }
  }
  return info.visitor ? enterByKey(info, { apiKey: info.visitor.apiKey, end }) : {}
}

function enterByKey(info: PortalInfo, { apiKey, end }: { readonly apiKey: string; readonly end: End }): Entrance {
  try {
    const onRefused = () => end({ fault: keyRejected, rejectedKey: apiKey })
    return { session: createSession(info, { apiKey, onRefused }) }
  } catch (error) {
    return { fault: explainError(error) }
  }
}
