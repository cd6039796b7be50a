import { useState } from 'preact/hooks'
import { storeTheme } from '../browser/stored-theme.ts'
import { useMedia } from '../hooks/use-media.ts'
import { Icon } from './icons.tsx'

/** Renders a button that changes the theme for this visit and later ones. */
export function ThemeButton() {
  const [chosen, setChosen] = useState(document.documentElement.dataset['theme'])
  const system = useMedia('(prefers-color-scheme: dark)') ? 'dark' : 'light'
  const other = (chosen ?? system) === 'dark' ? 'light' : 'dark'
  const change = () => {
    document.documentElement.dataset['theme'] = other
    storeTheme(other)
    setChosen(other)
  }
  const label = `Use the ${other} theme`
  return (
    <button type="button" class="tool" onClick={change} aria-label={label} title={label}>
      <Icon name={other === 'light' ? 'sun' : 'moon'} />
    </button>
  )
}
