import { render } from 'preact'
import { App } from './app.tsx'
import { startRouter } from './parts/router.ts'
import { watchService } from './reach/page-reachability.ts'

startRouter()
watchService()
render(<App />, document.getElementById('portal') as HTMLElement)
