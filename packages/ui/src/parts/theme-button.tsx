import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icons.tsx'
import { chooseTheme, currentTheme } from './theme.ts'

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
    chooseTheme(other)
    setTheme(other)
  }
  return (
    <button
      type="button"
      class="tool"
      onClick={change}
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </button>
  )
}
