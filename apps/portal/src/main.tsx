import { render } from 'preact'
import { App } from './app.tsx'
import { applyStoredTheme } from './parts/theme.ts'

applyStoredTheme()
render(<App />, document.getElementById('portal') as HTMLElement)
