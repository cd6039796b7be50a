import { render } from 'preact'
import { applyStoredTheme } from '../parts/theme.ts'
import { Console } from './console.tsx'

applyStoredTheme()
render(<Console />, document.getElementById('portal') as HTMLElement)
