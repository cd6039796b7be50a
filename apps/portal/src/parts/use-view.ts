import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export const views = ['overview', 'history', 'wallet', 'verify', 'explorer'] as const
export type View = (typeof views)[number]

/** Returns the URL of a view. It is in the fragment, which browsers do not send. */
export function hrefOf(view: View): string {
  return view === 'overview' ? '#/' : `#/${view}`
}

/**
 * Returns the view named in the URL. A change moves the focus to the heading of the new view before the view is painted:
 * later it could take the focus from a field in which the visitor already types.
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
  const [name] = location.hash.replace(/^#\/?/, '').split('?')
  return views.find((view) => view === name) ?? 'overview'
}
