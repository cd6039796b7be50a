import { useEffect, useState } from 'preact/hooks'
import type { NotesView } from './use-notes.ts'

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
