import { useEffect, useState } from 'preact/hooks'
import { Icon, Mark } from './icons.tsx'
import { chooseTheme, currentTheme } from './theme.ts'
import { hrefOf, type View, views } from './use-view.ts'

const names: Readonly<Record<View, string>> = {
  overview: 'Notes',
  history: 'History',
  wallet: 'Wallet',
  verify: 'Verify',
  explorer: 'Explorer',
}

export function TopBar({
  view,
  keyLabel,
  onChangeKey,
}: {
  readonly view: View
  /** Label of the current key. Undefined without a key. */
  readonly keyLabel: string | undefined
  readonly onChangeKey: () => void
}) {
  return (
    <header class="top-bar">
      <a class="brand" href="#/" aria-label="Tallystick, notes on offer">
        <Mark />
        <span>Tallystick</span>
      </a>
      <nav aria-label="Views">
        {views.map((name) => (
          <a key={name} href={hrefOf(name)} aria-current={name === view ? 'page' : undefined}>
            {names[name]}
          </a>
        ))}
      </nav>
      <div class="top-tools">
        {keyLabel ? (
          <button type="button" class="tool" onClick={onChangeKey}>
            <Icon name="key" />
            <span class="key-label">{keyLabel}</span>
            <span class="sr-only">, change the API key</span>
          </button>
        ) : null}
        <ThemeButton />
      </div>
    </header>
  )
}

function ThemeButton() {
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
