// @module-tag slow

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()
const phone = { viewport: { width: 320, height: 700 }, isMobile: true, hasTouch: true } as const

async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ')
}

/** Returns an amount that the page shows, in cents. */
function cents(text: string | undefined): number {
  return Number((/\$([\d,]+\.\d\d)/.exec(text ?? '')?.[1] ?? 'NaN').replace(/[,.]/g, ''))
}

const add = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

async function openWallet(path?: string): Promise<Page> {
  const { address } = shared.credentials.wallets[0]!
  const { page } = await shared.visit(path ?? `/wallet/${address}`)
  await page.locator('.earnings').waitFor()
  const more = page.getByRole('button', { name: /^Show all/ })
  if ((await more.count()) > 0) await more.click()
  return page
}

test('default: what a wallet shows adds up, in every row and in every total, and it names its owner', async () => {
  const page = await openWallet()
  const { address } = shared.credentials.wallets[0]!
  expect(await page.locator('.wallet-owner .hex').getAttribute('title')).toBe(address)
  const rows = await page.evaluate<{ state: string; cells: string[] }[]>(
    `[...document.querySelectorAll('.holdings tbody tr')].map((row) => ({
      state: row.dataset.state,
      cells: [...row.querySelectorAll('.cell-value')].map((cell) => cell.textContent),
    }))`,
  )
  const held = rows.filter(({ state }) => state !== 'claimed')
  const claimed = rows.filter(({ state }) => state === 'claimed')
  expect([held.length > 0, claimed.length > 0]).toEqual([true, true])
  for (const { cells } of rows.filter(({ state }) => state === 'matured')) {
    const fee = /fee of/.test(cells[6] as string) ? cents(cells[6]?.split('fee of')[1]) : 0
    expect(cents(cells[6])).toBe(cents(cells[0]) + cents(cells[2]) + cents(cells[3]) - fee)
    expect(cells[6]).toMatch(/^Matured, (can be claimed|not complete.*claimable in full)/)
  }
  for (const { cells } of claimed) {
    expect(cents(cells[6])).toBe(cents(cells[0]) + cents(cells[6]?.split('income')[1]))
  }
  const figures = await page.locator('.earnings .figure').allInnerTexts()
  const [lent, accrued, paid] = figures as [string, string, string]
  const partOf = (name: string) => cents(accrued.slice(accrued.indexOf(name)))
  expect(cents(lent)).toBe(add(held.map(({ cells }) => cents(cells[0]))))
  expect(partOf('fixed')).toBe(add(held.map(({ cells }) => cents(cells[2]))))
  expect(partOf('floating')).toBe(add(held.map(({ cells }) => cents(cells[3]))))
  expect(cents(accrued)).toBe(partOf('fixed') + partOf('floating') - partOf('fees'))
  expect(cents(paid)).toBe(add(claimed.map(({ cells }) => cents(cells[6]?.split('income')[1]))))
  // A lookup that fails leaves no report.
  await page.getByLabel('Address').fill('0x12')
  await page.keyboard.press('Enter')
  await page.locator('#wallet-fault').waitFor()
  await expect.poll(() => page.locator('.earnings').count()).toBe(0)
})

test('behavior: the calculator adds up for every amount', async () => {
  const { page } = await shared.visit('/')
  await page.locator('#floating-income').waitFor()
  for (const amount of ['1,234.56', '10000', '99,999.99', '7777.77']) {
    await page.getByLabel('Amount to lend').fill(amount)
    const [fixed, floating, payout] = await Promise.all(
      ['#fixed-income', '#floating-income', '#payout'].map(async (id) => cents(await page.locator(id).innerText())),
    )
    expect(payout).toBe(Math.round(Number(amount.replace(',', '')) * 100) + (fixed as number) + (floating as number))
  }
})

test('behavior: one zone at a time, for every instant, and kept for the next visit', async () => {
  const { page } = await shared.visit('/')
  await page.locator('.countdown-at').waitFor()
  const zone = page.getByLabel('Time zone')
  expect(await zone.locator('option').allInnerTexts()).toEqual(['New York', 'UTC', 'Mine, Tokyo'])
  expect(await textOf(page, '.hero-period')).toMatch(/^13 Nov 2026, 00:00 to 18:00 New York$/)
  await zone.selectOption('utc')
  expect(await textOf(page, '.hero-period')).toBe('13 Nov 2026, 05:00 to 23:00 UTC')
  expect(await textOf(page, '.countdown-at')).toBe('at 23:00 UTC')
  await zone.selectOption('mine')
  expect(await textOf(page, '.hero-period')).toBe('13 Nov 2026, 14:00 to 08:00 next day Tokyo')
  await page.reload()
  await page.locator('.countdown-at time').waitFor()
  expect(await textOf(page, '.hero-period')).toContain('Tokyo')
  for (const view of ['', 'history', `wallet/${shared.credentials.wallets[0]?.address}`, 'verify']) {
    await page.goto(`${shared.credentials.baseUrl}/${view}`)
    if (view === '') await page.locator('.rate-sync time').waitFor()
    if (view === 'history') await page.locator('#coupons-text').waitFor({ state: 'attached' })
    if (view.startsWith('wallet')) await page.locator('.earnings').waitFor()
    if (view === 'verify') {
      await page.getByRole('button', { name: 'Use a current note' }).click()
      await page.locator('.facts time').first().waitFor({ state: 'attached' })
    }
    const texts = await page.locator('main').innerText()
    expect([view, /Tokyo/.test(texts), /\d New York|\d UTC/.test(texts)]).toEqual([view, true, false])
    expect([view, texts.match(/\b\d{4}-\d\d-\d\d\b/g)]).toEqual([view, null])
  }
})

test('behavior: the key panel opens where the visitor is, takes the focus, and Escape gives it back', async () => {
  const { page } = await shared.visit('/')
  await page.locator('.notch').last().waitFor()
  const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.className')
  for (const name of ['Notes', 'History', 'Wallet', 'Verify', 'Explorer']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.evaluate('window.scrollTo(0, 400)')
    const button = page.getByRole('button', { name: 'change the API key' })
    await button.click()
    await expect.poll(focused).toBe('api-key')
    const box = await page.locator('#key-panel').boundingBox()
    expect([name, box !== null && box.y >= 0 && box.y + box.height < 900]).toEqual([name, true])
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await page.locator('#key-panel').count()).toBe(0)
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-expanded")')).toBe('false')
  }
})

test('behavior: on a phone of 320 px positions are cards, and no view is wider than the screen', async () => {
  const { page } = await shared.open(phone)
  const { address } = shared.credentials.wallets[0]!
  for (const path of ['/', '/lend', '/history', `/wallet/${address}`, '/verify', '/explorer']) {
    await page.goto(`${shared.credentials.baseUrl}${path}`)
    if (path === '/') await page.locator('.notch').last().waitFor()
    if (path === '/history') await page.locator('.chart-box svg').last().waitFor()
    if (path === '/explorer') await page.locator('.explorer').waitFor()
    if (path === '/verify') {
      await page.getByRole('button', { name: 'Use a current note' }).click()
      await page.locator('.facts').first().waitFor({ state: 'attached' })
    }
    if (path.startsWith('/wallet')) {
      await page.locator('.holdings tr').first().waitFor({ state: 'attached' })
      const card = await page.locator('.holdings tbody tr').first().boundingBox()
      expect(card !== null && card.height > 150 && card.x + card.width <= 320).toBe(true)
      expect(await textOf(page, '.holdings tbody tr')).toMatch(/Principal \$[\d,.]+ Coupon/)
    }
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320])
    await shoot(page, `small-phone${path.replace(/\W.*$/, '') || path.split('/')[1] || 'overview'}`)
  }
  await page.context().close()
})

test('behavior: a paused pool is named at the lower edge of every view', async () => {
  const { page } = await shared.visit('/')
  await page.route('**/rate', async (route) => {
    const body = await (await route.fetch()).json()
    const reason = { status: 'paused', statusReason: 'The pool is paused.' }
    return route.fulfill({ json: { ...body, chains: [{ ...body.chains[0], ...reason }, ...body.chains.slice(1)] } })
  })
  await page.reload()
  const alert = page.getByRole('alert').filter({ hasText: 'zkSync Era (sandbox) is paused' })
  await alert.waitFor()
  // Another file may pause the second chain meanwhile.
  expect((await alert.innerText()).replace(/\s+/g, ' ')).toBe(
    'zkSync Era (sandbox) is paused Nobody can lend or claim there until the pause ends. The pool is paused.',
  )
  await page.getByRole('link', { name: 'History' }).click()
  expect(await alert.isVisible()).toBe(true)
})

test('behavior: while it loads the page states nothing', async () => {
  const { page } = await shared.visit('/verify')
  const held: (() => void)[] = []
  const hold = new Promise<void>((resolve) => held.push(resolve))
  for (const path of ['**/notes', '**/rate', '**/data', '**/history/*']) {
    await page.route(path, async (route) => {
      await hold
      await route.continue().catch(() => undefined)
    })
  }
  const falsehoods = /No positions|No notes|No earlier|0\.00|paused|unknown|Pool open|closed|–%/
  await page.goto(`${shared.credentials.baseUrl}/`)
  await page.locator('.skeleton').first().waitFor()
  expect((await page.locator('main').innerText()).match(falsehoods)).toBeNull()
  await page.goto(`${shared.credentials.baseUrl}/wallet/${shared.credentials.wallets[0]?.address}`)
  await page.getByText('Looking up…').waitFor({ state: 'attached' })
  expect((await page.locator('main').innerText()).match(falsehoods)).toBeNull()
  for (const release of held) release()
  await page.locator('.earnings').waitFor()
})

test('behavior: an ENS name is looked up where the service resolves names, and one that has no address says so', async () => {
  const { page } = await shared.visit('/verify')
  const { address } = shared.credentials.wallets[0]!
  await page.route('**/portal.json', async (route) => {
    const info = await (await route.fetch()).json()
    return route.fulfill({ json: { ...info, ens: true } })
  })
  await page.route('**/ens/*', (route) =>
    route.request().url().endsWith('/ens/name.eth')
      ? route.fulfill({ json: { name: 'name.eth', address } })
      : route.fulfill({ status: 404, json: { code: 'not_found', message: 'It has no address in ENS.' } }),
  )
  await page.goto(`${shared.credentials.baseUrl}/wallet/name.eth`)
  await page.locator('.earnings').waitFor()
  expect(await page.locator('.wallet-owner h2').innerText()).toBe('name.eth')
  expect(await page.locator('.wallet-owner .hex').getAttribute('title')).toBe(address)
  await expect.poll(() => page.title()).toBe('Wallet name.eth · Tallystick')
  await page.getByLabel('Address or ENS name').fill('missing.eth')
  await page.keyboard.press('Enter')
  await page.getByText('missing.eth has no address here').waitFor()
  await expect.poll(() => page.locator('.earnings').count()).toBe(0)
})
