import { applyStoredTheme } from '@tallystick/ui'
import { render } from 'preact'
import { Console } from './console.tsx'

applyStoredTheme()
render(<Console />, document.getElementById('portal') as HTMLElement)
