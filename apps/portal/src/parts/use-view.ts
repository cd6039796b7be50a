import { useEffect, useState } from 'preact/hooks'

export const views = ['overview', 'wallet', 'verify', 'explorer'] as const
export type View = (typeof views)[number]

/** The address of a view: after the hash, so that the service never sees it. */
export function hrefOf(view: View): string {
  return view === 'overview' ? '#/' : `#/${view}`
}

/** The view the address names. Moving to another takes the focus to its heading, as loading a page would. */
export function useView(): View {
  const [view, setView] = useState(readView)
  useEffect(() => {
    const onChange = () => {
      const next = readView()
      setView(next)
      requestAnimationFrame(() => {
        window.scrollTo(0, 0)
        document.getElementById(`${next}-heading`)?.focus({ preventScroll: true })
      })
    }
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return view
}

function readView(): View {
  const name = location.hash.replace(/^#\/?/, '')
  return views.find((view) => view === name) ?? 'overview'
}
