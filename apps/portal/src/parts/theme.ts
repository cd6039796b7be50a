export type Theme = 'light' | 'dark'

const storageKey = 'tallystick-theme'

/** What the visitor chose on an earlier visit; without a choice the system's setting holds. */
export function applyStoredTheme(): void {
  const theme = readStored()
  if (theme) document.documentElement.dataset['theme'] = theme
}

/** The theme in sight. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem(storageKey, theme)
  } catch {
    // A browser that stores nothing forgets the choice with the tab.
  }
}

function readStored(): Theme | undefined {
  try {
    const stored = localStorage.getItem(storageKey)
    return stored === 'light' || stored === 'dark' ? stored : undefined
  } catch {
    return undefined
  }
}
