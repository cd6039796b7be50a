import { useState } from 'preact/hooks'
import { quietStorage } from '../browser/quiet-storage.ts'
import { useMedia } from '../hooks/use-media.ts'
import { Icon } from './icons.tsx'

const storageKey = 'tallystick-theme'

/** Applies the theme stored on an earlier visit. Without one the system's setting applies. */
export function applyStoredTheme(): void {
  const stored = quietStorage.getItem(storageKey)
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['theme'] = stored
}

/** Renders a button that changes the theme for this visit and later ones. */
export function ThemeButton() {
  const [chosen, setChosen] = useState(document.documentElement.dataset['theme'])
  const system = useMedia('(prefers-color-scheme: dark)') ? 'dark' : 'light'
  const other = (chosen ?? system) === 'dark' ? 'light' : 'dark'
  const change = () => {
    document.documentElement.dataset['theme'] = other
    quietStorage.setItem(storageKey, other)
    setChosen(other)
  }
  const label = `Use the ${other} theme`
  return (
    <button type="button" class="tool" onClick={change} aria-label={label} title={label}>
      <Icon name={other === 'light' ? 'sun' : 'moon'} />
    </button>
  )
}
