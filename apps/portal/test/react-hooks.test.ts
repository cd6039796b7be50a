// @module-tag slow

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

// The hooks of `@tallystick/client/react` with the real react-dom. `react-page.js` has the scenarios.

const shared = useSharedPage()
let code: string
let page: Page
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('react-page.js', import.meta.url))],
    ...{ bundle: true, write: false, format: 'iife', conditions: ['src'] },
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  code = outputFiles[0]?.text as string
})

async function run(scenario: string, argument: unknown = {}): Promise<unknown> {
  if (!page) {
    page = (await shared.open()).page
    const html = { contentType: 'text/html', body: '<title>Hooks</title><body></body>' }
    await page.route('**/hooks-page', (route) => route.fulfill(html))
  }
  await page.goto(`${shared.credentials.baseUrl}/hooks-page`)
  await page.evaluate(code)
  return page.evaluate(`scenarios.${scenario}(${JSON.stringify(argument)})`)
}

test('behavior: useNotes in StrictMode replaces notes, restarts for changed options and leaves no watch', async () => {
  expect(await run('notes')).toEqual({
    seen: ['loading', '7', 'waiting', '8', 'loading', 'loading', 'failing', '30'],
    // StrictMode mounts twice. The same options in a new list start nothing.
    ...{ watchesBefore: 2, watches: 4, open: 1, left: 0, errors: [] },
  })
})

test('behavior: useRate keeps data while it fetches again or fails, and aborts what nobody waits for', async () => {
  expect(await run('rate')).toEqual({
    seen: [
      ...['- - loading', '- - loading', '1633 - idle', '1633 - loading', '1633 failed idle'],
      ...['1633 failed loading', '1700 - idle', '- - loading'],
    ],
    aborted: [true, true, true, true, true],
    errors: [],
  })
})

test('behavior: usePositions needs a wallet, in any case of its letters', async () => {
  expect(await run('positions')).toEqual({
    seen: ['- - idle', 0, 'positions - idle', 0, '- - idle'],
    errors: [],
  })
})

test('behavior: a refresh comes at most once per second and ends with the component', async () => {
  expect(await run('refresh')).toEqual({ delayMs: 1000, sent: 1, left: 0, errors: [] })
})

test('behavior: a server renders the loading state, which the browser takes over', async () => {
  expect(await run('hydrate')).toEqual({ html: 'loading - - loading', errors: [] })
})

test('default: the hooks read notes, rate and positions from the service', async () => {
  const { apiKey, wallets } = shared.credentials
  const found = await run('service', { apiKey, wallet: wallets[0]?.address })
  expect(found).toEqual({ notes: 7, rate: expect.stringMatching(/^\d+$/), positions: expect.any(Number), errors: [] })
})
