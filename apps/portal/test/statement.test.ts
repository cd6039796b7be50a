// @module-tag slow

import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { parseCsv } from '../../../packages/service/test/parse-csv.ts'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { readDownload, shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()

/** Opens the statement of the wallet of the sandbox with the most positions. */
async function openStatement(): Promise<Page> {
  const { page } = await shared.visit(`/wallet/${shared.credentials.wallets[0]?.address}`)
  await page.getByRole('link', { name: 'Statement, to print or as CSV' }).click()
  await page.locator('.statement').waitFor()
  return page
}

async function save(page: Page, name: string) {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `${name} as CSV` }).click(),
  ])
  return { name: saved.suggestedFilename(), rows: parseCsv(await readDownload(saved)) }
}

const cents = (text: string) => BigInt(text.replace(/[^\d−-]/g, '').replace('−', '-'))
const wei = (text = '0') => {
  const [whole = '', rest = ''] = text.split('.')
  return BigInt(`${whole}${rest.padEnd(18, '0')}`)
}
const add = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n)

test('default: the files of a statement add up to what the page shows', async () => {
  const page = await openStatement()
  expect(page.url()).toMatch(/\/wallet\/0x[0-9a-fA-F]{40}\?statement$/)
  const address = shared.credentials.wallets[0]?.address
  const [positions, days, claims] = [
    await save(page, 'Positions'),
    await save(page, 'Income by day'),
    await save(page, 'Claims'),
  ]
  expect([positions.name, days.name, claims.name]).toEqual([
    `tallystick-positions-${address}-324-8453-2026-11-13.csv`,
    `tallystick-income-by-day-${address}-324-8453-2026-11-13.csv`,
    `tallystick-claims-${address}-324-8453-2026-11-13.csv`,
  ])
  const accrued = page.locator('#statement-accrued')
  const sum = ({ rows }: typeof positions, name: string) => add(rows.map((row) => wei(row[name] || '0.0')))
  expect(sum(positions, 'accrued_net_usd_exact')).toBe(BigInt((await accrued.getAttribute('value')) ?? ''))
  expect(sum(positions, 'accrued_net_usd')).toBe(cents(await accrued.innerText()) * 10n ** 16n)
  expect(positions.rows).toHaveLength(await page.getByRole('region', { name: 'Positions' }).locator('tbody tr').count())
  expect(sum(days, 'net_income_usd_exact')).toBe(
    sum(positions, 'accrued_net_usd_exact') + sum(positions, 'claimed_net_usd_exact'),
  )
  expect(sum(claims, 'net_income_usd')).toBe(sum(positions, 'claimed_net_usd'))
  expect(claims.rows.length).toBeGreaterThan(0)
  expect(positions.rows[0]?.['as_of_utc']).toMatch(/^2026-11-13T1\d:\d\d:\d\dZ$/)
  for (const title of ['Positions', 'Claims', 'Income by day']) {
    const table = page.getByRole('region', { name: title })
    const net = { Positions: 8, Claims: 3, 'Income by day': 5 }[title] as number
    const column = (rows: string) => table.locator(`${rows} tr > :nth-child(${net + 1})`).allInnerTexts()
    const [total = ''] = await column('tfoot')
    expect(add((await column('tbody')).map(cents))).toBe(cents(total))
  }
  await page.reload()
  await page.locator('.statement').waitFor()
  expect(await page.locator('.statement .notice').count()).toBe(0)
  expect(await findAxeFaults(page, '.statement', [320, 390, 1440])).toEqual([])
})

test('behavior: on paper it is one document, black on white, with a head and without bars or buttons', async () => {
  const page = await openStatement()
  onTestFinished(() => page.emulateMedia({ media: null }))
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.setViewportSize({ width: 794, height: 1123 })
  for (const hidden of ['.top-bar', '.footer', '.lookup', '.statement button', '.statement .screen-only']) {
    for (const element of await page.locator(hidden).all()) expect(await element.isVisible()).toBe(false)
  }
  const head = await page.locator('.statement header').innerText()
  expect(head).toContain(shared.credentials.wallets[0]?.address)
  expect(head).toContain(shared.credentials.baseUrl)
  expect(head).toMatch(/2026-11-13 \d\d:\d\d:\d\d UTC/)
  const colours =
    "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('.statement')))"
  expect(await page.evaluate(colours)).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)'])
  // No table is wider than the paper, so nothing is cut.
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(794)
  const cut =
    "[...document.querySelectorAll('.statement .table-scroll')].some((box) => box.scrollWidth > box.clientWidth)"
  expect(await page.evaluate(cut)).toBe(false)
  await shoot(page, 'statement-print')
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('behavior: a wallet of 1,200 positions has a complete statement, and one that lacks a chain says so', async () => {
  const { page } = await shared.visit('/')
  await page.route('**/data', async (route) => {
    const { query, variables } = route.request().postDataJSON()
    if (!query.includes('positionInfos')) return route.fallback()
    const rows = makePositions().filter(({ tokenId }) => BigInt(tokenId) < BigInt(variables.below))
    const page = query.includes('FetchClaims') ? [] : rows.slice(0, 1_000)
    return route.fulfill({ json: variables.chains.map((id: number) => answer(id, id === 324 ? page : undefined)) })
  })
  await page.goto(`${shared.credentials.baseUrl}/wallet/${shared.credentials.wallets[0]?.address}?statement`)
  await page.locator('.statement').waitFor()
  const rows = page.getByRole('region', { name: 'Positions' }).locator('tbody tr')
  expect(await rows.count()).toBe(1_200)
  expect((await save(page, 'Positions')).rows).toHaveLength(1_200)
  await expect.poll(() => page.locator('.statement .notice').innerText()).toContain('Chain 8453 failed')
})

function answer(chain: number, rows: readonly object[] | undefined) {
  return rows
    ? { chain, data: { positionInfos: rows, _meta: { hasIndexingErrors: false, block: { number: 1 } } } }
    : { chain, data: null, errors: [{ message: 'Away.', code: 'upstream_failed' }] }
}

function makePositions() {
  const owner = shared.credentials.wallets[0]?.address.toLowerCase()
  return Array.from({ length: 1_200 }, (_, index) => ({
    ...{ tokenId: String(1_200 - index), owner, initalOwner: owner, initiator: owner, coupon: '369' },
    ...{ principal: `${1_000 + index}000000000000000000`, lendTimestamp: String(1_794_000_000 + index) },
    ...{ maturityTimestamp: '1797000000', partnerFeeBPS: '0', partnerId: `0x${'00'.repeat(32)}`, status: 'Active' },
    lendTransactionHash: `0x${'ab'.repeat(32)}`,
  }))
}
