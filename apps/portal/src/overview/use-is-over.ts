import { useEffect, useState } from 'preact/hooks'
import type { NotesView } from '../data/use-notes.ts'

/** Whether the notes in sight can no longer be used: the boundary has passed and the next ones are not here yet. */
export function useIsOver(view: NotesView | undefined): boolean {
  const leftMs = () => (view ? Number(view.validUntil) * 1000 - Date.now() - view.serverOffsetMs : 1)
  const [isOver, setIsOver] = useState(leftMs() <= 0)
  useEffect(() => {
    setIsOver(leftMs() <= 0)
    // In steps: a timer can stand still while the machine sleeps.
    const timer = setInterval(() => setIsOver(leftMs() <= 0), 1_000)
    return () => clearInterval(timer)
  }, [view])
  return isOver
}
