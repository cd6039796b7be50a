import { createListeners, useSubscribed } from '@tallystick/ui'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Place, parsePlace, replaceOldLink, titleOf, type View } from './place.ts'

const home: Place = { view: 'overview', search: new URLSearchParams() }
const { subscribe, notify } = createListeners()
let current: { readonly href: string; readonly place: Place } | undefined

/** Starts to follow links and the browser's history. Called once, before the page is rendered. */
export function startRouter(): void {
  followOldLink()
  addEventListener('popstate', notify)
  addEventListener('hashchange', followOldLink)
  document.addEventListener('click', followClick)
}

/** Returns the place that the URL names. It stays the same object while the URL does. */
export function useLocation(): Place {
  return useSubscribed(read, subscribe)
}

/** Returns the query of a view's URL. While another view is open, it is the last one. */
export function useSearchOf(view: View): URLSearchParams {
  const place = useLocation()
  const last = useRef(home.search)
  if (place.view === view) last.current = place.search
  return last.current
}

/** Opens a URL of the page without loading it. Any other URL of this origin is loaded. Never pass a secret. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const url = new URL(href, location.origin)
  const place = url.origin === location.origin ? parsePlace(url) : undefined
  if (!place) {
    location.assign(url)
    return
  }
  const path = url.pathname + url.search + url.hash
  if (path === location.pathname + location.search + location.hash) return
  const isOtherView = place.view !== read().view
  history[replace ? 'replaceState' : 'pushState'](null, '', path)
  if (isOtherView) window.scrollTo(0, 0)
  notify()
}

/**
 * Sets the title of the page. A change of the view moves the focus to the view's heading before it is painted: later it
 * could take the focus from a field in which the visitor already types.
 */
export function useViewChange(place: Place): void {
  const shown = useRef<View>(place.view)
  useLayoutEffect(() => {
    document.title = titleOf(place)
    if (shown.current === place.view) return
    shown.current = place.view
    document.getElementById(`${place.view}-heading`)?.focus({ preventScroll: true })
  }, [place])
}

function read(): Place {
  const { href } = location
  if (current?.href !== href) current = { href, place: parsePlace(location) ?? home }
  return current.place
}

function followOldLink(): void {
  const href = replaceOldLink(location.hash)
  if (href !== undefined) navigate(href, { replace: true })
}

/** Follows a plain click on a link to a view. All other clicks are the browser's. */
function followClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  if (!link?.href || event.defaultPrevented || event.button !== 0 || hasModifier) return
  if ((link.target && link.target !== '_self') || link.hasAttribute('download')) return
  const url = new URL(link.href)
  const isAnchor = url.hash !== '' && url.pathname === location.pathname && url.search === location.search
  if (url.origin !== location.origin || isAnchor || !parsePlace(url)) return
  event.preventDefault()
  navigate(link.href)
}
