// @module-tag slow

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()

type Timing = {
  readonly name: string
  readonly startTime: number
  readonly responseEnd: number
  readonly transferSize: number
  readonly renderBlockingStatus?: string
}

// A slow phone line, and the round trips before the first paint: TCP, TLS, the page, its style sheet.
const bytesPerSecond = 400_000 / 8
const roundTripSeconds = 0.3
const roundTrips = 4

test('default: what the first paint needs arrives within 2 s at 400 kbit/s, and nothing else competes with it', async () => {
  const { page } = await shared.open({ viewport: { width: 390, height: 844 } })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: roundTripSeconds * 1000,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  for (const path of ['/', '/docs/lend']) {
    await page.goto(`${shared.credentials.baseUrl}${path}`)
    await expect.poll(() => page.evaluate(`performance.getEntriesByName('first-contentful-paint').length`)).toBe(1)
    const read = (type: string) =>
      page.evaluate<Timing[]>(`performance.getEntriesByType('${type}').map((entry) => entry.toJSON())`)
    const [document, resources] = [await read('navigation'), await read('resource')]
    const blocking = resources.filter(({ renderBlockingStatus }) => renderBlockingStatus === 'blocking')
    expect(blocking.map(({ name }) => /(\w+)-\w+\.\w+$/.exec(name)?.[1]).toSorted()).toEqual(['start', 'style'])
    const needed = [...document, ...blocking].reduce((sum, { transferSize }) => sum + transferSize, 0)
    expect(needed / bytesPerSecond + roundTrips * roundTripSeconds).toBeLessThan(2)
    const readyAt = Math.max(...blocking.map(({ responseEnd }) => responseEnd))
    const others = resources.filter((resource) => !blocking.includes(resource))
    expect(others.length).toBeGreaterThan(1)
    expect(others.filter(({ startTime }) => startTime < readyAt)).toEqual([])
  }
  await page.context().close()
})

/** Holds the page at its shell. Returns what lets it go on. */
async function holdShell(page: Page): Promise<() => void> {
  const held: (() => void)[] = []
  const hold = new Promise<void>((resolve) => held.push(resolve))
  await page.route('**/portal.json', async (route) => {
    await hold
    await route.continue().catch(() => undefined)
  })
  return () => held[0]?.()
}

const bar = `(() => {
  const { height } = document.querySelector('.top-bar').getBoundingClientRect()
  const place = (element) => { const { x, y } = element.getBoundingClientRect(); return [Math.round(x), Math.round(y)] }
  return {
    height,
    brand: place(document.querySelector('.brand span')),
    links: [...document.querySelectorAll('.top-bar nav a')].map((link) => [link.textContent, link.getAttribute('href'), place(link)[1]]),
  }
})()`

test('default: the shell has the bar of the page, in every width and theme, for every URL', async () => {
  const { page } = await shared.visit('/verify')
  await page.evaluate(`localStorage.setItem('tallystick-theme', 'dark')`)
  for (const [width, path] of [
    [320, '/'],
    [390, '/wallet/0x12'],
    [1440, '/docs/lend'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    const release = await holdShell(page)
    await page.goto(`${shared.credentials.baseUrl}${path}`)
    await page.locator('.shell-card').waitFor()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    const shell = await page.evaluate(bar)
    await shoot(page, `shell-${width}`)
    release()
    await page.locator('.data-age').waitFor()
    expect(await page.locator('#shell').count()).toBe(0)
    expect(await page.evaluate(bar)).toEqual(shell)
    await page.unroute('**/portal.json')
  }
})

test('behavior: axe finds nothing in the shell', async () => {
  const { page } = await shared.visit('/verify')
  const release = await holdShell(page)
  await page.goto(`${shared.credentials.baseUrl}/lend`)
  await page.locator('.shell-card').waitFor()
  expect(await findAxeFaults(page)).toEqual([])
  release()
})

test('behavior: without JavaScript the page says what needs it, and nothing seems to load', async () => {
  const { page } = await shared.open({ javaScriptEnabled: false })
  await page.goto(`${shared.credentials.baseUrl}/history`)
  const main = page.locator('main')
  expect(await main.innerText()).toContain('need JavaScript. The API does not.')
  expect(await page.locator('.shell-wait').isVisible()).toBe(false)
  await page.context().close()
})
