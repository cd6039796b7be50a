import { Icon, Mark, ThemeButton, ZonePicker } from '@tallystick/ui'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { hrefOf, titles, type View, views } from './place.ts'

// Short enough for a narrow screen.
const names = { ...titles, overview: 'Notes', verify: 'Verify', explorer: 'Explorer' }

type TopBarProps = {
  readonly view: View
  /** Label of the current key. Undefined without a key. */
  readonly keyLabel: string | undefined
  /** Whether the page is used without a key. */
  readonly isVisitor: boolean
  readonly keyButton: RefObject<HTMLButtonElement | null>
  readonly isKeyPanelOpen: boolean
  readonly onChangeKey: () => void
  /** Hangs below the bar. */
  readonly status: ComponentChildren
}

export function TopBar({ view, keyLabel, isVisitor, keyButton, isKeyPanelOpen, onChangeKey, status }: TopBarProps) {
  // A link returns to where the visitor left a view. The link of the open view leads to its beginning.
  const left = useRef<Partial<Record<View, string>>>({})
  left.current[view] = location.pathname + location.search
  const links = useScrolledLinks(view)
  const lastHrefOf = (name: View) => (name === view ? undefined : left.current[name]) ?? hrefOf(name)
  return (
    <header class="top-bar">
      <a class="brand" href="/" aria-label="Tallystick, notes on offer">
        <Mark />
        <span>Tallystick</span>
      </a>
      <nav ref={links} aria-label="Views">
        {views.map((each) => (
          <a key={each} href={lastHrefOf(each)} aria-current={each === view ? 'page' : undefined}>
            {names[each]}
          </a>
        ))}
      </nav>
      <div class="top-tools flex middle end">
        {keyLabel ? (
          <button
            ref={keyButton}
            type="button"
            class="tool"
            aria-expanded={isKeyPanelOpen}
            aria-controls={isKeyPanelOpen ? 'key-panel' : undefined}
            onClick={onChangeKey}
          >
            <Icon name="key" />
            <span class="key-label">{keyLabel}</span>
            <span class="sr-only">, {isVisitor ? 'use an API key' : 'change the API key'}</span>
          </button>
        ) : null}
        <ZonePicker />
        <ThemeButton />
      </div>
      {status}
    </header>
  )
}

/**
 * Returns the ref of a row of links that may be wider than the screen. The link of the view is scrolled into sight, and
 * `data-more` names the sides at which there are more.
 */
function useScrolledLinks(view: View): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const [box, link] = [row.current, row.current?.querySelector('[aria-current]')?.getBoundingClientRect()]
    if (!box || !link) return
    const { left, width } = box.getBoundingClientRect()
    box.scrollLeft += link.left + link.width / 2 - left - width / 2
  }, [view])
  useEffect(() => {
    const box = row.current
    if (!box) return undefined
    const mark = () => {
      const left = box.scrollWidth - box.clientWidth - box.scrollLeft
      // Browsers round the position of a scrolled element.
      box.dataset['more'] = [box.scrollLeft > 1 && 'start', left > 1 && 'end'].filter(Boolean).join(' ')
    }
    const observer = new ResizeObserver(mark)
    observer.observe(box)
    box.addEventListener('scroll', mark, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', mark)
    }
  }, [])
  return row
}
