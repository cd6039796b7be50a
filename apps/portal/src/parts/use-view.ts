import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export const views = ['overview', 'wallet', 'verify', 'explorer'] as const
export type View = (typeof views)[number]

/** The address of a view: after the hash, so that the service never sees it. */
export function hrefOf(view: View): string {
  return view === 'overview' ? '#/' : `#/${view}`
}

/**
 * The view the address names. Moving to another takes the focus to its heading, as loading a page would, and in the
 * same breath in which the view appears: a moment later it could be taken from a visitor who already types.
 */
export function useView(): View {
  const [view, setView] = useState(readView)
  const shown = useRef(view)
  useEffect(() => {
    const onChange = () => setView(readView())
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  useLayoutEffect(() => {
    if (shown.current === view) return
    shown.current = view
    window.scrollTo(0, 0)
    document.getElementById(`${view}-heading`)?.focus({ preventScroll: true })
  }, [view])
  return view
}

function readView(): View {
  const name = location.hash.replace(/^#\/?/, '')
  return views.find((view) => view === name) ?? 'overview'
}
