// @module-tag slow

import type { NotesResponse, RateResponse } from '@tallystick/core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { readDownload, shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'
import { answerHistory, makeHistory } from './history-fixture.ts'

const shared = useSharedPage()

async function visit(path: string): Promise<Page> {
  return (await shared.visit(path)).page
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
  const { page } = await shared.open(options)
  await page.goto(shared.credentials.baseUrl)
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
  const page = await visit('/wallet')
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
  for (const { address } of shared.credentials.wallets) {
    const query = 'query($owner: Bytes!) { positionInfos(where: { currentOwner: $owner }) { id } }'
    const variables = { owner: address.toLowerCase(), chains: [first.id, second.id] }
    const answer = await page.request.post(`${shared.credentials.baseUrl}/data`, {
      headers: { 'x-api-key': shared.credentials.apiKey },
      data: { query, variables },
    })
    const chains = (await answer.json()) as readonly { readonly data: { readonly positionInfos: readonly object[] } }[]
    if (chains.every(({ data }) => data.positionInfos.length > 0)) return address
  }
  throw new Error('No wallet has positions on both chains.')
}

async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ')
}

describe('history', () => {
  const coupons = (page: Page) =>
    page.locator('.history-panel', { has: page.getByRole('heading', { name: 'Coupons' }) })
  const cells = (page: Page) => coupons(page).locator('tbody tr').allInnerTexts()

  test('default: coupons and floating rates as charts, tables and CSV', async () => {
    const page = await visit('/')
    await page.getByRole('link', { name: 'History' }).click()
    await expect.poll(() => page.locator('.steps-line').count()).toBe(8)
    expect(page.url()).toBe(`${shared.credentials.baseUrl}/history?days=30&chain=324`)
    expect((await cells(page))[1]).toMatch(/^12 Nov 2026 18:00 to 24:00\t3\.\d\d%/)
    expect(await page.locator('#coupons-text').textContent()).toMatch(
      /^7 days: last 3\.69%, lowest .*360 days: last 3\.40%/,
    )
    expect(await page.locator('#floating-text').textContent()).toMatch(/^Floating rate: last \d+\.\d\d%, lowest/)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      coupons(page).getByRole('button', { name: 'CSV of coupons' }).click(),
    ])
    expect(saved.suggestedFilename()).toMatch(/^coupons-324-2026-10-15-to-2026-11-13\.csv$/)
    const range = 'chainid=324&from=2026-10-15&to=2026-11-13'
    const headers = { 'x-api-key': shared.credentials.apiKey, accept: 'text/csv' }
    const answer = await page.request.get(`${shared.credentials.baseUrl}/history/notes?${range}`, { headers })
    expect(await readDownload(saved)).toBe(await answer.text())
    await shoot(page, 'history')
  })

  test('behavior: by keyboard the cursor moves, lines are hidden and the range changes, and the URL links to it', async () => {
    const page = await visit('/history?from=2026-11-12&to=2026-11-12&chain=324')
    await answerHistory(
      page,
      makeHistory({ from: '2026-11-12', days: 1 }, (index) => ({ 7: 369 + index, 14: 365 })),
    )
    await page.reload()
    await coupons(page).locator('.steps svg').waitFor()
    const readout = () => textOf(page, '.readout')
    expect(await readout()).toBe('12 Nov 2026, 18:00 to 24:00 New York 7 days 3.70% 14 days 3.65%')
    const slider = page.getByRole('slider', { name: 'Period on the chart' })
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    expect(await readout()).toBe('12 Nov 2026, 00:00 to 18:00 New York 7 days 3.69% 14 days 3.65%')
    expect(await slider.getAttribute('aria-valuetext')).toContain(
      '00:00 to 18:00 New York: 7 days 3.69%, 14 days 3.65%',
    )
    await page.getByRole('button', { name: '14 days' }).press('Enter')
    expect(await coupons(page).locator('.steps-line').count()).toBe(1)
    await page.getByRole('radio', { name: '30 days' }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => page.url()).toContain('/history?days=7&chain=324')
    await page.getByLabel('From', { exact: true }).fill('2026-12-01')
    await page.getByLabel('To', { exact: true }).fill('2026-11-01')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('Swap them').waitFor()
    expect(page.url()).toContain('days=7')
    await page.getByLabel('To', { exact: true }).fill('2026-12-31')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('/history?from=2026-12-01&to=2026-12-31&chain=324')
    await page.goBack()
    expect(page.url()).toBe('about:blank')
  })

  test('behavior: a DST day, a gap, and a tenor that comes and goes', async () => {
    const page = await visit('/history?from=2026-10-31&to=2026-11-02')
    const periods = makeHistory({ from: '2026-10-31', days: 3 }, (index) =>
      index === 4 ? undefined : { 7: 369, ...(index > 1 && { 14: 365 }), ...(index < 3 && { 30: 360 }) },
    )
    await answerHistory(page, periods)
    await page.reload()
    await coupons(page).locator('.steps svg').waitFor()
    expect((await cells(page)).map((row) => row.split(/\s*\t\s*/))).toEqual([
      ['2 Nov 2026 18:00 to 24:00', '3.69%', '3.65%', '–', '5'],
      ['1 Nov 2026 18:00 to 24:00', '3.69%', '3.65%', '–', '3'],
      [expect.stringMatching(/^1 Nov 2026 00:00 to 18:00\s*19 h$/), '3.69%', '3.65%', '3.60%', '2'],
      ['31 Oct 2026 18:00 to 24:00', '3.69%', '–', '3.60%', '1'],
      ['31 Oct 2026 00:00 to 18:00', '3.69%', '–', '3.60%', '0'],
    ])
    await page.getByText('Where a line is interrupted').waitFor()
    await shoot(page, 'history-gaps')
  })

  test('behavior: two years are read in pages and shown in part', async () => {
    const page = await visit('/history?from=2024-11-13&to=2026-11-13')
    const queries = await answerHistory(page, makeHistory({ from: '2024-11-13', days: 731 }))
    await page.reload()
    await page.getByRole('button', { name: 'Show 200 more of 1,448' }).click()
    expect(queries.slice(-2).map((query) => query.get('cursor'))).toEqual([null, '1000'])
    expect(await coupons(page).locator('tbody tr').count()).toBe(214)
    // One constant coupon is one line.
    expect((await coupons(page).locator('.steps-line').getAttribute('d'))?.length).toBeLessThan(40)
  })

  test('error: an empty range, a failed request and a wrong link say what to do', async () => {
    const page = await visit('/history?days=30&chain=1')
    await page.getByText('The link names a chain that this service does not have.').waitFor()
    await answerHistory(page, [])
    await page.getByRole('radio', { name: '7 days' }).check()
    await page.getByText('No periods in this range').waitFor()
    expect(await page.getByText('The link names a chain').count()).toBe(0)
    await page.unroute('**/history/notes?*')
    const body = { message: 'The database is unreachable.', code: 'not_ready', requestId: 'id-of-request' }
    await page.route('**/history/notes?*', (route) => route.fulfill({ status: 503, json: body }))
    await page.getByRole('radio', { name: '90 days' }).check()
    await coupons(page).getByText('The database is unreachable. Request ID: id-of-request.').waitFor()
    // The floating rate does not depend on it.
    await page.locator('#floating-text').waitFor({ state: 'attached' })
    await page.unroute('**/history/notes?*')
    await answerHistory(
      page,
      makeHistory({ from: '2026-11-13', days: 1 }, (index) => (index === 0 ? { 7: 369 } : undefined)),
    )
    await page.getByRole('button', { name: 'Try again' }).click()
    await coupons(page).locator('.steps svg').waitFor()
    expect(await cells(page)).toHaveLength(1)
  })

  test('error: without a key nothing is requested', async () => {
    const { page, requested } = await shared.visit('/')
    await page.route('**/portal.json', async (route) => {
      const { visitor, ...info } = await (await route.fetch()).json()
      return route.fulfill({ json: info })
    })
    await page.goto(`${shared.credentials.baseUrl}/history`)
    await page.reload()
    const before = requested.filter((url) => url.includes('/history/')).length
    await page.getByText('History is read through the API. Enter your key above.').waitFor()
    expect(requested.filter((url) => url.includes('/history/'))).toHaveLength(before)
  })

  test('behavior: the history of the second chain is reached by choice and by link', async () => {
    const page = await visit('/history')
    await coupons(page).locator('.steps svg').waitFor()
    await page.getByRole('radio', { name: second.name }).check()
    await expect.poll(() => page.url()).toContain(`chain=${second.id}`)
    // The overview requests the last period, without a last day.
    const response = page.waitForResponse((answer) => /history.notes.*&to=/.test(answer.url()))
    await page.reload()
    expect(new URL((await response).url()).searchParams.get('chainid')).toBe(String(second.id))
    expect(await page.getByRole('radio', { name: second.name }).isChecked()).toBe(true)
    await coupons(page).locator('.steps svg').waitFor()
    await shoot(page, 'two-chains-history')
  })
})

describe('the second chain in another state', () => {
  type RateChain = RateResponse['chains'][number]

  /** Opens the page of a service that has no notes of the second chain. `states.test.ts` has what a service says then. */
  async function visitWith(state: Partial<RateChain>): Promise<Page> {
    const page = await visit('/')
    await page.route(
      ({ pathname }) => pathname === '/rate',
      async (route) => {
        const response = await route.fetch()
        const rate = (await response.json()) as RateResponse
        const chains = rate.chains.map((chain) =>
          chain.chainid === String(second.id) ? { ...chain, ...state } : chain,
        )
        return route.fulfill({ response, json: { ...rate, chains } })
      },
    )
    await page.route(
      ({ pathname }) => pathname === '/notes',
      async (route) => {
        const response = await route.fetch()
        const notes = (await response.json()) as NotesResponse
        return route.fulfill({
          response,
          json: { ...notes, data: notes.data.filter(({ chainid }) => chainid !== String(second.id)) },
        })
      },
    )
    await page.reload()
    await page.getByRole('radio', { name: second.name }).check()
    return page
  }

  const sideOf = (page: Page) =>
    page.locator('.board-side .card', { has: page.getByRole('heading', { name: second.name }) })

  test('error: a pool that is paused and refuses the notes is shown with its reasons', async () => {
    const statusReason = 'The pool is paused. It accepts notes of another signer only.'
    const page = await visitWith({ status: 'paused', statusReason, fixedRates: [], marketRates: [] })
    await expect.poll(() => sideOf(page).innerText()).toMatch(/Pool paused\s[\s\S]*The pool is paused\./)
    expect(await sideOf(page).innerText()).toContain('accepts notes of another signer only')
    await page.getByText('No notes are on offer.').waitFor()
    await shoot(page, 'second-chain-paused')
    await page.getByRole('radio', { name: first.name }).check()
    await expectShown(page, first)
  })

  test('error: a pool that rejects the notes is named at the lower edge, in its card and where one would lend', async () => {
    const statusReason = `The pool’s signer is 0x${'ab'.repeat(20)}, not 0x${'cd'.repeat(20)}.`
    const page = await visitWith({ status: 'rejecting', statusReason, fixedRates: [], marketRates: [] })
    await expect.poll(() => sideOf(page).innerText()).toMatch(/Pool rejects loans\s[\s\S]*The pool’s signer is/)
    await page.getByText(`${second.name} rejects loans`).waitFor()
    await page.getByText('Nobody can lend there until the operator has fixed it. Claims work.').waitFor()
  })

  test('error: a chain without RPC has the status of its index', async () => {
    const statusReason = 'No RPC is configured for this chain. Its index says that the pool is not paused.'
    const page = await visitWith({ status: 'unknown', statusReason })
    await expect
      .poll(() => sideOf(page).innerText())
      .toMatch(/Pool state unknown[\s\S]*No RPC is configured for this chain\. Its index says/)
    await shoot(page, 'second-chain-without-rpc')
  })
})
