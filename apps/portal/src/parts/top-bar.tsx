import { Icon, Mark, ThemeButton, ZonePicker } from '@tallystick/ui'
import type { ComponentChildren, RefObject } from 'preact'
import { useRef } from 'preact/hooks'
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
  const lastHrefOf = (name: View) => (name === view ? undefined : left.current[name]) ?? hrefOf(name)
  return (
    <header class="top-bar">
      <a class="brand" href="/" aria-label="Tallystick, notes on offer">
        <Mark />
        <span>Tallystick</span>
      </a>
      <nav aria-label="Views">
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
