import { render } from 'preact'
import { App } from './app.tsx'
import { startRouter } from './parts/router.ts'
import { applyStoredTheme } from './parts/theme.ts'

applyStoredTheme()
startRouter()
render(<App />, document.getElementById('portal') as HTMLElement)
