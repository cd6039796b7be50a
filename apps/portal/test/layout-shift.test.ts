// @module-tag slow

import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()
const sizes = [
  { width: 320, height: 700 },
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
]
const shiftMax = 0.02
const pages: Page[] = []
/** Whether the service gives the page a key, and pauses a pool. Both change what the page shows before its data. */
const service = { hasKey: true, isPaused: false }

// The answers of a slow service come one after the other, and each changes what is shown.
const delaysMs: Readonly<Record<string, number>> = { portal: 50, notes: 150, rate: 200 }
const otherDelayMs = 250

const observer = `
  window.shifts = []
  const nameOf = ({ node }) => node?.id || node?.className || node?.nodeName
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) shifts.push({ value, moved: sources.map(nameOf).join(', ') })
  }).observe({ type: 'layout-shift', buffered: true })`

beforeAll(async () => {
  if (!shared.browser) return
  for (const viewport of sizes) {
    const { page } = await shared.open({ viewport })
    await page.addInitScript(observer)
    await page.route(/\/(portal\.json|notes|rate|chains|data|history\/\w+|openapi\.json)(\?|$)/, async (route) => {
      const [, name = ''] = /^\/(\w+)/.exec(new URL(route.request().url()).pathname) ?? []
      await new Promise((resolve) => setTimeout(resolve, delaysMs[name] ?? otherDelayMs))
      const isChanged = (name === 'portal' && !service.hasKey) || (name === 'rate' && service.isPaused)
      if (!isChanged) return route.continue().catch(() => undefined)
      const response = await route.fetch()
      const body = await response.json()
      if (name === 'portal') return route.fulfill({ response, json: { ...body, visitor: undefined } })
      const closed = { status: 'paused', statusReason: 'The pool is paused.' }
      return route.fulfill({ response, json: { ...body, chains: [{ ...body.chains[0], ...closed }, body.chains[1]] } })
    })
    pages.push(page)
  }
})

/** Loads a path in every size and returns the sizes in which it moves too much, with what moved. */
async function findShifts(path: string, isLoaded: (page: Page) => Promise<void>, name: string): Promise<string[]> {
  const found = await Promise.all(
    pages.map(async (page) => {
      const { width = 0 } = page.viewportSize() ?? {}
      await page.goto(`${shared.credentials.baseUrl}${path}`)
      await isLoaded(page)
      // What came last is painted before the second frame.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      const shifts = await page.evaluate<{ value: number; moved: string }[]>('shifts')
      await shoot(page, `loaded-${name}-${width}`)
      const sum = shifts.reduce((total, { value }) => total + value, 0)
      return sum > shiftMax ? [`${width} px: ${sum.toFixed(3)} by ${JSON.stringify(shifts)}`] : []
    }),
  )
  return found.flat()
}

test.each<[string, string, (page: Page) => Promise<void>]>([
  ['overview', '/', (page) => page.locator('.board-curve .move').first().waitFor()],
  ['lend', '/lend', (page) => page.locator('#lend-floating').waitFor()],
  ['history', '/history', (page) => page.locator('.steps svg').last().waitFor()],
  ['wallet', '/wallet/{wallet}', (page) => page.locator('.holdings tr').first().waitFor({ state: 'attached' })],
  ['verify', '/verify', (page) => page.getByRole('button', { name: 'Use a current note' }).waitFor()],
  ['explorer', '/explorer', (page) => page.locator('.explorer .cm-content').first().waitFor()],
  ['docs', '/docs/errors', (page) => page.locator('.docs-neighbours').waitFor()],
])('default: nothing on %s moves while it loads from a slow service', async (name, path, isLoaded) => {
  expect(await findShifts(path.replace('{wallet}', shared.credentials.wallets[0]!.address), isLoaded, name)).toEqual([])
})

test('behavior: the key panel is there from the beginning, and a pause that is known later moves nothing', async () => {
  service.hasKey = false
  expect(await findShifts('/', (page) => page.locator('.welcome').waitFor(), 'key')).toEqual([])
  service.hasKey = true
  service.isPaused = true
  const pausedLoaded = (page: Page) => page.getByText('Nobody can lend or claim there').waitFor()
  expect(await findShifts('/', pausedLoaded, 'paused')).toEqual([])
  expect(await findShifts('/verify', pausedLoaded, 'paused-verify')).toEqual([])
})
