import { useEffect, useState } from 'preact/hooks'
import { quietStorage } from '../browser/quiet-storage.ts'
import { Icon } from './icons.tsx'

type Theme = 'light' | 'dark'

const storageKey = 'tallystick-theme'

/** Applies the theme stored on an earlier visit. Without one the system's setting applies. */
export function applyStoredTheme(): void {
  const stored = quietStorage.getItem(storageKey)
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['theme'] = stored
}

/** Renders a button that changes the theme for this visit and later ones. */
export function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setTheme(currentTheme())
    system.addEventListener('change', follow)
    return () => system.removeEventListener('change', follow)
  }, [])
  const other = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    document.documentElement.dataset['theme'] = other
    quietStorage.setItem(storageKey, other)
    setTheme(other)
  }
  const label = `Use the ${other} theme`
  return (
    <button type="button" class="tool" onClick={change} aria-label={label} title={label}>
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </button>
  )
}

/** Returns the theme that is displayed. */
function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
