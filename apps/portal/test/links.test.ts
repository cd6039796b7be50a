// @module-tag slow

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()
const [first, second] = ['zkSync Era (sandbox)', 'Base (sandbox)']

async function open(path: string): Promise<Page> {
  return (await shared.visit(path)).page
}

/** Returns what a visitor has chosen on the first view. */
async function readOverview(page: Page) {
  await page.locator('#payout').waitFor()
  const chain = await page.locator('.hero input:checked + span').innerText()
  const tenor = await page.locator('.tenors input:checked + span').innerText()
  const row = (await page.locator('.board-curve tr.is-chosen th').innerText()).trim()
  return [chain, tenor, row, await page.locator('#amount').inputValue()]
}

const pathOf = (page: Page) => page.url().slice(shared.credentials.baseUrl.length)
const notice = (page: Page) => page.locator('section:not([hidden]) .notice.tone-warn').first()

test('default: the choices of the first view are in the link, and the calculator’s lead to the form', async () => {
  const page = await open('/')
  expect(await readOverview(page)).toEqual([first, '30', '30 days', '10,000.00'])
  expect(pathOf(page)).toBe('/')
  await page.getByRole('radio', { name: second }).check({ force: true })
  await page.locator('.tenors').getByRole('radio', { name: '90' }).check({ force: true })
  const entries = await page.evaluate<number>('history.length')
  const changes = countChanges(page)
  await changes.start()
  await page.locator('#amount').fill('')
  await page.locator('#amount').pressSequentially('2500.5')
  await expect.poll(() => pathOf(page)).toBe('/?chainid=8453&maturity=90&amount=2500.50')
  // Typing neither fills the browser's history nor writes a link for each key.
  expect(await changes.count()).toBeLessThan(4)
  expect(await page.evaluate('history.length')).toBe(entries)
  const chosen = await readOverview(page)
  expect(chosen.slice(0, 3)).toEqual([second, '90', '90 days'])
  await page.reload()
  expect(await readOverview(page)).toEqual([second, '90', '90 days', '2,500.50'])
  await page.getByRole('link', { name: 'Lend for 90 days' }).click()
  await expect.poll(() => page.locator('#lend-amount').inputValue()).toBe('2,500.50')
  expect(pathOf(page)).toBe('/lend?chainid=8453&maturity=90&amount=2500.50')
  await page.locator('#lend-amount').fill('3000')
  await page.locator('.tenor-choice').getByRole('radio', { name: '14' }).check({ force: true })
  await expect.poll(() => pathOf(page)).toBe('/lend?chainid=8453&maturity=14&amount=3000')
  await page.reload()
  await expect.poll(() => page.locator('#lend-amount').inputValue()).toBe('3,000.00')
  expect(await page.locator('.tenor-choice input:checked + span').innerText()).toContain('14')
  await page.goBack()
  expect(await readOverview(page)).toEqual([second, '90', '90 days', '2,500.50'])
})

function countChanges(page: Page) {
  const script = `window.changes = 0; { const replace = history.replaceState.bind(history)
    history.replaceState = (...all) => { window.changes++; replace(...all) } }`
  return { start: () => page.evaluate(script), count: () => page.evaluate<number>('window.changes') }
}

test.each([
  ['/?chainid=5&maturity=45&amount=abc', ['a chain', `Shown is ${first}`, 'no valid amount', '45 days', '30 days']],
  ['/lend?chainid=5&maturity=45&amount=1e9', ['a chain', 'no valid amount', 'a maturity of 45 days', '30 days']],
  ['/lend?maturity=<script>&partner=0x12', ['a maturity that is not a number', 'a partner that does not exist']],
  ['/history?days=31&chain=324', ['7, 30, 90 days', `Shown instead: ${first}, the last 30 days`]],
  ['/history?days=7&chain=5', ['a chain', `Shown instead: ${first}, the last 30 days`]],
  ['/history?days=7&chain=324&hide=x', ['a line, a period or a day', 'Shown instead']],
])('error: %s says what is not on offer, and what is shown instead', async (path, texts) => {
  const page = await open(path)
  for (const text of texts) await expect.poll(() => notice(page).innerText()).toContain(text)
  expect(await notice(page).innerText()).not.toMatch(/script|abc|1e9/)
})

test('behavior: the lines and cursors of the history are in the link', async () => {
  const page = await open('/history?days=7&chain=324')
  const lines = () => page.locator('.steps-line').count()
  // Those of seven tenors, and the floating rate.
  await expect.poll(lines).toBe(8)
  await page.locator('.readout button').first().click()
  await expect.poll(() => pathOf(page)).toBe('/history?days=7&chain=324&hide=7')
  const sliders = page.locator('.history-panel .chart-slider')
  const [coupons, floating] = [sliders.first(), sliders.last()]
  await coupons.focus()
  for (let count = 0; count < 3; count++) await page.keyboard.press('ArrowLeft')
  await floating.focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => pathOf(page)).toMatch(/^\/history\?days=7&chain=324&hide=7&period=\d{10}&day=2026-11-11$/)
  const texts = () => Promise.all([coupons, floating].map((slider) => slider.getAttribute('aria-valuetext')))
  const before = await texts()
  await page.reload()
  await expect.poll(lines).toBe(7)
  await expect.poll(texts).toEqual(before)
  await page.getByRole('radio', { name: '30 days' }).check({ force: true })
  await expect.poll(() => pathOf(page)).toBe('/history?days=30&chain=324&hide=7')
  await page.goto(`${shared.credentials.baseUrl}/history?days=7&chain=324&period=1000000000&day=2020-01-01`)
  await expect.poll(() => page.getByText('The link names a').allInnerTexts()).toHaveLength(2)
})

test('error: a huge amount and a long query fit the screen', async () => {
  const page = await open('/')
  await page.setViewportSize({ width: 320, height: 800 })
  const amount = `amount=${(2n ** 256n - 1n) / 10n ** 18n}.5`
  for (const path of [`/?${amount}`, `/lend?${amount}`, `/history?${'x=1&'.repeat(1_000)}days=7`]) {
    await page.goto(shared.credentials.baseUrl + path)
    await page.locator('section:not([hidden]) .card').last().waitFor()
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  }
  await page.goto(`${shared.credentials.baseUrl}/?${amount}`)
  await page.locator('#payout').waitFor()
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
  await shoot(page, 'huge-amount-320')
  await page.setViewportSize({ width: 1280, height: 900 })
})
