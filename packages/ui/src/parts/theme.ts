export type Theme = 'light' | 'dark'

const storageKey = 'tallystick-theme'

/** Applies the theme stored on an earlier visit. Without one the system's setting applies. */
export function applyStoredTheme(): void {
  const theme = readStored()
  if (theme) document.documentElement.dataset['theme'] = theme
}

/** Returns the theme that is displayed. */
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
    // Without storage the choice lasts until the page is closed.
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
