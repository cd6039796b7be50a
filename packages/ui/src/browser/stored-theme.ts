import { quietStorage } from './quiet-storage.ts'

const storageKey = 'tallystick-theme'

/** Applies the theme stored on an earlier visit. Without one the system's setting applies. */
export function applyStoredTheme(): void {
  const stored = quietStorage.getItem(storageKey)
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['theme'] = stored
}

/** Stores the theme for later visits. */
export function storeTheme(theme: 'light' | 'dark'): void {
  quietStorage.setItem(storageKey, theme)
}
