import type { Browser, Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { openVisit, shoot, type Visit } from './browser.ts'
import { launchBrowser } from './launch-browser.ts'
import { type Credentials, startSandbox } from './start-sandbox.ts'

let browser: Browser
/** Why every test here is skipped, if there is no browser. */
let skipReason: string | undefined
let credentials: Credentials
/** Page that the tests with a desktop browser use in turn. */
let desktop: Visit

beforeAll(async () => {
  const launched = await launchBrowser()
  if (!launched.browser) {
    skipReason = launched.reason
    console.warn(`The tests of the page with two chains are skipped. ${skipReason}`)
    return
  }
  browser = launched.browser
  // At a boundary the page replaces its notes, so this is far from one.
  const sandbox = await startSandbox('--chains', '2', '--positions', '24', '--at', '2026-11-13T12:00:00-05:00')
  credentials = sandbox.credentials
  desktop = await openVisit(browser)
  return async () => {
    await browser.close()
    await sandbox.stop()
  }
}, 240_000)

beforeEach((context) => context.skip(skipReason !== undefined, skipReason))

async function visit(path: string, { page, reset } = desktop): Promise<Page> {
  await reset()
  await page.goto(`${credentials.baseUrl}${path}`)
  return page
}

/** Waits until the page shows the status of a chain, with the addresses of that chain. */
async function expectShown(page: Page, { name, id }: { readonly name: string; readonly id: number }): Promise<void> {
  const side = page.locator('.board-side .card', { has: page.getByRole('heading', { name }) })
  await side.waitFor()
  await expect.poll(() => side.innerText()).toMatch(new RegExp(`Pool open[^]*Chain\\s+${id}\\s[^]*block \\d`))
  expect(await page.locator('.board-curve tbody tr').count()).toBe(7)
}

const first = { name: 'zkSync Era (sandbox)', id: 324 }
const second = { name: 'Base (sandbox)', id: 8453 }

test('default: the page shows the first chain, and the second by keyboard', async () => {
  const page = await visit('/')
  await page.locator('.notch').last().waitFor()
  await expectShown(page, first)
  const choice = page.getByRole('group', { name: 'Chain' })
  expect(await choice.getByRole('radio').count()).toBe(2)
  expect(await choice.getByRole('radio', { name: first.name }).isChecked()).toBe(true)
  await choice.getByRole('radio', { name: first.name }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await choice.getByRole('radio', { name: second.name }).isChecked()).toBe(true)
  await expectShown(page, second)
  await shoot(page, 'two-chains')
  await page.keyboard.press('ArrowLeft')
  await expectShown(page, first)
})

test('behavior: on a phone a tap chooses the chain, and nothing is wider than the screen', async () => {
  const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const page = await visit('/', await openVisit(browser, options))
  await page.locator('.notch').last().waitFor()
  await page.getByRole('radio', { name: second.name }).tap()
  await expectShown(page, second)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  const box = await page.locator('.hero .segments label').last().boundingBox()
  expect(box!.x + box!.width).toBeLessThanOrEqual(360)
  await shoot(page, 'two-chains-phone')
  await page.context().close()
})

test('behavior: a wallet has the positions of both chains, each with its chain', async () => {
  const page = await visit('/#/wallet')
  await page.getByLabel('Address').fill(await findLenderOnBoth(page))
  await page.keyboard.press('Enter')
  await page.locator('.earnings').waitFor()
  for (const { id, name } of [first, second]) {
    const rows = await page.locator(`tr[data-chain="${id}"]`).all()
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(await row.innerText()).toContain(name)
  }
  await shoot(page, 'two-chains-wallet')
})

/** Returns a wallet with a position on each chain. */
async function findLenderOnBoth(page: Page): Promise<string> {
  for (const { address } of credentials.wallets) {
    const query = 'query($owner: Bytes!) { positionInfos(where: { currentOwner: $owner }) { id } }'
    const variables = { owner: address.toLowerCase(), chains: [first.id, second.id] }
    const answer = await page.request.post(`${credentials.baseUrl}/data`, {
      headers: { 'x-api-key': credentials.apiKey },
      data: { query, variables },
    })
    const chains = (await answer.json()) as readonly { readonly data: { readonly positionInfos: readonly object[] } }[]
    if (chains.every(({ data }) => data.positionInfos.length > 0)) return address
  }
  throw new Error('No wallet has positions on both chains.')
}
