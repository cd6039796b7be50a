// @module-tag slow

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()
const widths = [320, 390, 1440]

/** Returns left and right edge of an element. */
function edgesOf(page: Page, selector: string): Promise<readonly [number, number]> {
  return page.evaluate(
    `(({ left, right }) => [left, right])(document.querySelector('${selector}').getBoundingClientRect())`,
  )
}

const nav = (page: Page) => page.getByRole('navigation', { name: 'Views' })

test('behavior: on a phone the current link is in sight, and arrows name the sides with more links', async () => {
  const { page } = await shared.open({ viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true })
  const expectSides = async (path: string, more: string) => {
    await page.goto(shared.credentials.baseUrl + path)
    await expect.poll(() => nav(page).getAttribute('data-more')).toBe(more)
    const [left, right] = await edgesOf(page, '.top-bar [aria-current]')
    expect([left >= 0, right <= 320]).toEqual([true, true])
  }
  await expectSides('/', 'end')
  await expectSides('/wallet', 'start end')
  await shoot(page, 'navigation-320')
  await expectSides('/docs', 'start')
  // A key hint is for screens with a keyboard.
  expect(await page.locator('.docs-slash').isVisible()).toBe(false)
  await page.goto(`${shared.credentials.baseUrl}/explorer`)
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  expect(await page.getByText('Ctrl+Enter').isVisible()).toBe(false)
  // By touch and by keyboard the hidden links are reached.
  await nav(page).getByRole('link', { name: 'Notes' }).focus()
  await expect.poll(async () => (await edgesOf(page, '.top-bar nav a'))[0]).toBeGreaterThanOrEqual(0)
  await nav(page).getByRole('link', { name: 'Docs' }).tap()
  await expect.poll(() => nav(page).getAttribute('data-more')).toBe('start')
  await page.setViewportSize({ width: 1000, height: 700 })
  await expect.poll(() => nav(page).getAttribute('data-more')).toBe('')
  await page.context().close()
})

test('default: bar, view and footer share their edges at every width', async () => {
  const { page } = await shared.visit('/history')
  await page.locator('.steps svg').last().waitFor()
  for (const width of [320, 390, 900, 1280, 1440, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 })
    const [left, right] = await edgesOf(page, '.history-panel')
    const [brand] = await edgesOf(page, '.brand')
    const [, theme] = await edgesOf(page, '.top-tools .tool:last-child svg')
    const footer = await edgesOf(page, '.footer')
    expect([width, brand, ...footer]).toEqual([width, left, left, right])
    // The button’s own padding is outside the column, so that its icon ends where the cards do.
    expect(Math.abs(theme - right)).toBeLessThanOrEqual(1)
  }
  expect(await page.getByText('Ctrl+Enter').count()).toBeLessThanOrEqual(1)
  const [chart, table] = await Promise.all(
    ['.history-pair .chart', '.history-pair table'].map((selector) => edgesOf(page, selector)),
  )
  expect(table?.[0]).toBeGreaterThan(chart?.[1] as number)
  await shoot(page, 'history-2560')
  expect(await findAxeFaults(page, ':root', widths)).toEqual([])
})

test('error: a wrong path shows a page in the look of the product, with a way home', async () => {
  const { page } = await shared.visit('/')
  const answer = await page.goto(`${shared.credentials.baseUrl}/no/such/%3Cb%3Epage`)
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor()
  expect(await page.evaluate("getComputedStyle(document.querySelector('.primary')).backgroundColor")).toBe(
    'rgb(138, 75, 22)',
  )
  await shoot(page, 'wrong-path')
  expect(await findAxeFaults(page, ':root', widths)).toEqual([])
  await page.getByRole('link', { name: 'Notes on offer', exact: true }).click()
  await page.locator('#payout').waitFor()
  await page.goto(`${shared.credentials.baseUrl}/wallet/no-wallet`)
  await page.getByText('An address is 0x followed by 40 hex digits.').waitFor()
  await page.goto(`${shared.credentials.baseUrl}/docs/no-such-page`)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
})
