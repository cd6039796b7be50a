import { applyStoredTheme } from '@tallystick/ui'
import { render } from 'preact'
import { App } from './app.tsx'
import { startRouter } from './parts/router.ts'

applyStoredTheme()
startRouter()
render(<App />, document.getElementById('portal') as HTMLElement)
