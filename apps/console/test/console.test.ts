// @module-tag slow

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot, type Visit } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()
let visit: Visit
let page: Page

beforeAll(async () => {
  if (!shared.browser) return
  visit = await shared.open()
  page = visit.page
})

async function signIn(token: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('about:blank')
  await page.goto(`${shared.credentials.adminUrl}/console`)
  await page.getByLabel('Admin token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Status' }).waitFor()
}

async function open(view: string): Promise<void> {
  await page.getByRole('link', { name: view, exact: true }).click()
  await page.getByRole('heading', { name: view, level: 1 }).waitFor()
}

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape.
async function admin(path: string, body?: object): Promise<any> {
  const { adminUrl, adminToken } = shared.credentials
  const response = await fetch(adminUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json()
}

async function statusOf(secret: string): Promise<number> {
  const answer = await page.request.get(`${shared.credentials.baseUrl}/notes`, { headers: { 'x-api-key': secret } })
  return answer.status()
}

test('error: a wrong token gets one clear sentence, and no token leaves the memory of the page', async () => {
  const { adminUrl, adminToken } = shared.credentials
  await page.goto(`${adminUrl}/console`)
  for (const wrong of [`${adminToken}x`, 'tökén', 'with space']) {
    await page.getByLabel('Admin token').fill(wrong)
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.locator('#token-fault').innerText())
      .toMatch(/^The service does not accept this token\./)
    await button('Open the console').waitFor()
  }
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('token')
  expect(await findAxeFaults(page)).toEqual([])
  await signIn(adminToken)
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
  )
  expect(kept + visit.requested.join()).not.toContain(adminToken)
  expect(visit.requested.filter((url) => !url.startsWith(`${adminUrl}/`) && url !== 'about:blank')).toEqual([])
  await page.reload()
  await page.getByLabel('Admin token').waitFor()
  expect(await page.getByLabel('Admin token').inputValue()).toBe('')
})

test('default: status has the boundary and every chain with its lag', async () => {
  await signIn(shared.credentials.adminToken)
  await expect.poll(() => page.title()).toBe('Status · Tallystick console')
  await page.getByText('Next boundary').waitFor()
  const rows = await page.locator('[data-row]').allInnerTexts()
  expect(rows.map((row) => row.replace(/\s+/g, ' '))).toEqual([
    expect.stringMatching(
      /^zkSync Era \(sandbox\) 324 7 Not signed yet Open following embedded \d+ \d+ blocks?, \d+ s .* s$/,
    ),
    expect.stringMatching(/^Base \(sandbox\) 8453 7 Not signed yet .* following embedded \d+ /),
  ])
  expect(await page.locator('[data-testid=boundary]').innerText()).toMatch(/^\d+ (h|min)/)
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'console-status')
})

test('behavior: status says whether the service is ready, degraded or not ready', async () => {
  await signIn(shared.credentials.adminToken)
  const pill = page.locator('.figures .pill').first()
  for (const [state, report] of [
    ['Ready', { ready: true, degraded: false }],
    ['Degraded', { ready: true, degraded: true }],
    ['Not ready', { ready: false, degraded: false }],
  ] as const) {
    await page.route('**/status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...report } })
    })
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect.poll(() => pill.innerText()).toBe(state)
    await page.unrouteAll({ behavior: 'wait' })
  }
})

test('behavior: data that cannot be refreshed is marked as out of date, and the mark goes when it is fresh', async () => {
  await signIn(shared.credentials.adminToken)
  await page.getByText('Next boundary').waitFor()
  const refresh = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await page.context().setOffline(true)
  await refresh()
  await page.getByText(/^Out of date: this is from \d\d:\d\d:\d\d$/).waitFor()
  expect(await page.locator('.stale [data-row]').count()).toBe(2)
  await page.context().setOffline(false)
  await refresh()
  await expect.poll(() => page.locator('.stale').count()).toBe(0)
})

test('default: a key is created, used, counted, rotated and revoked', async () => {
  await signIn(shared.credentials.adminToken)
  await open('Keys')
  await button('Create a key').click()
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('key-name')
  await page.getByLabel('Owner').fill('Console test')
  await page.getByLabel('data').uncheck()
  await button('Create').click()
  const secret = await page.locator('.secret').innerText()
  // Keys of a sandbox are for tests.
  expect(secret).toMatch(/^tsk_test_/)
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('secret-title')
  expect(await statusOf(secret)).toBe(200)

  const row = page.locator('[data-row]', { hasText: 'Console test' })
  await expect.poll(() => row.innerText()).toMatch(/active\s+notes, rate\s+600 per minute/)
  const { id } = (await admin('/keys')).keys.find(({ name }: { name: string }) => name === 'Console test')
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await expect.poll(() => row.innerText()).toMatch(/1\s+1 today \(UTC\)/)
  await button('I have stored it').click()
  expect(await page.content()).not.toContain(secret)

  await row.getByRole('button', { name: /^Rotate/ }).click()
  await page.getByLabel('The old secret still works').selectOption('0')
  await button('Create the new secret').click()
  await expect.poll(() => page.locator('.secret').innerText()).not.toBe(secret)
  const rotated = await page.locator('.secret').innerText()
  await page.getByText('Every replica knows it (1).').waitFor()
  expect([await statusOf(secret), await statusOf(rotated)]).toEqual([403, 200])
  expect(await findAxeFaults(page)).toEqual([])

  await page.setViewportSize({ width: 320, height: 700 })
  const revoke = row.getByRole('button', { name: /^Revoke/ })
  await revoke.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel')
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Revoke the key of Console test')
  expect(await statusOf(rotated)).toBe(200)
  await revoke.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key of Console test is revoked').waitFor()
  expect(await statusOf(rotated)).toBe(403)
  expect(await page.content()).not.toContain(rotated)
  await page.setViewportSize({ width: 1280, height: 900 })

  await open('Audit')
  const changes = page.locator('[data-row]', { hasText: 'the key Console test' })
  const [, hint] = /(.{4})$/.exec(secret) ?? []
  await expect
    .poll(async () => (await changes.allInnerTexts()).map((text) => /admin [^.]*/.exec(text)?.[0]))
    .toEqual([
      `admin revoked the key Console test (${id})`,
      `admin gave the key Console test (tsk_test_…${rotated.slice(-4)}) a new secret; the old one ended at once`,
      `admin created the key Console test (tsk_test_…${hint}) with notes and rate, 600 requests per minute`,
    ])
  expect(await changes.first().innerText()).toMatch(/console$/)
  expect(await findAxeFaults(page)).toEqual([])
})

test('default: a curve is previewed on every chain, stored for the boundary of its preview, and audited', async () => {
  const before = (await admin('/curve')).chains[0].next.curve.points
  await signIn(shared.credentials.adminToken)
  await open('Curve')
  await page.getByLabel('7 days, bps').fill('3.69')
  await button('Preview').click()
  await page.getByText('"3.69" is not a whole number of basis points above 0').waitFor()
  await page.getByLabel('7 days, bps').fill(String(before[7] + 131))
  await button('Preview').click()
  await page.getByText('The rails refuse this curve unless you confirm it').waitFor()
  const tables = page.locator('.preview .table-box')
  expect(await tables.count()).toBe(2)
  expect((await tables.first().locator('tbody tr').first().innerText()).replace(/\s+/g, ' ')).toBe(
    `7 days ${before[7]} bps ${before[7] + 131} bps +131 ${before[7] - 100} to ${before[7] + 100} ` +
      `rails.maxMoveBps: ${before[7] - 100} to ${before[7] + 100}`,
  )
  expect(await button('Store this curve').isDisabled()).toBe(true)
  await page.getByLabel(/I have checked these coupons/).check()
  expect(await button('Store this curve').isEnabled()).toBe(true)
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'console-curve')
  await page.getByLabel('7 days, bps').fill('5000')
  expect(await page.locator('.preview').count()).toBe(0)
  await button('Preview').click()
  await page.getByText('The rails refuse this curve', { exact: true }).waitFor()
  expect(await button('Store this curve').count()).toBe(0)

  await page.getByLabel('7 days, bps').fill(String(before[7] + 1))
  await button('Preview').click()
  await page.getByText('The rails accept this curve').waitFor()
  await button('Store this curve').click()
  try {
    await page.getByText(/^Curve \d+ is stored and in force from \d+ Nov 2026, \d\d:00\.$/).waitFor()
    expect((await admin('/curve')).chains[0].next.curve.points).toEqual({ ...before, 7: before[7] + 1 })
    await expect.poll(() => page.locator('.curve-chains').innerText()).toContain('+1')
    await open('Audit')
    const change = page.locator('[data-row]', { hasText: 'admin set curve' }).first()
    await expect
      .poll(() => change.innerText())
      .toMatch(/admin set curve \d+: 7 days [\d,]+ bps, .*, from 2026-11-\d\d \d\d:00 UTC\.\s+Details\s+console/)
  } finally {
    await admin('/curve', { points: before, confirm: true })
  }
})

test('behavior: a preview that answers after the form has changed is not shown, and a stored curve is the one shown', async () => {
  const before = (await admin('/curve')).chains[0].next.curve.points
  await signIn(shared.credentials.adminToken)
  await open('Curve')
  let answerFirst: () => Promise<void> = async () => undefined
  await page.route(
    '**/curve/preview',
    async (route) => {
      const response = await route.fetch()
      // The page may have given the request up.
      answerFirst = () => route.fulfill({ response }).catch(() => undefined)
    },
    { times: 1 },
  )
  const field = page.getByLabel('7 days, bps')
  await field.fill(String(before[7] + 9))
  await button('Preview').click()
  await button('Checking…').waitFor()
  await field.fill(String(before[7] + 1))
  await button('Preview').click()
  await button('Store this curve').waitFor()
  await answerFirst()
  await page.evaluate("fetch('/livez').then(() => new Promise((resolve) => requestAnimationFrame(resolve)))")
  expect(await page.locator('.preview tbody tr').first().innerText()).toContain(`${before[7] + 1} bps`)

  const other = { ...before, 14: before[14] + 1 }
  try {
    // Another person sets a curve: the untouched field follows it, and the preview is not of what the form shows.
    await admin('/curve', { points: other, confirm: true })
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect.poll(() => page.getByLabel('14 days, bps').inputValue()).toBe(String(other[14]))
    expect(await page.locator('.preview').count()).toBe(0)
    await button('Preview').click()
    await button('Store this curve').waitFor()
    // The page does not know of this one.
    await admin('/curve', { points: before, confirm: true })
    await button('Store this curve').click()
    await page.getByText(/differs from the preview that you saw/).waitFor()
    expect((await admin('/curve')).chains[0].next.curve.points).toEqual(before)
  } finally {
    await admin('/curve', { points: before, confirm: true })
  }
})

test('default: a webhook is added, tested and removed', async () => {
  let status = 500
  const receiver = createServer((_request, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  try {
    await signIn(shared.credentials.adminToken)
    await open('Webhooks')
    await button('Add a webhook').click()
    await page.getByLabel('URL of the receiver').fill(url)
    await page.getByLabel('rate').uncheck()
    await button('Add').click()
    expect(await page.locator('.secret').innerText()).toMatch(/^whsec_/)
    await button('I have stored it').click()
    await button(`Test ${url}`).click()
    await page.getByText(`${url} did not accept a test event`).waitFor()
    status = 204
    await button(`Test ${url}`).click()
    await page.getByText(`${url} accepted a test event`).waitFor()
    expect(await findAxeFaults(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 900 })
    await button(`Remove ${url}`).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('The webhook is removed').waitFor()
    await expect.poll(() => page.getByText(url).count()).toBe(0)
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

test('behavior: a viewer sees every view and has no button that changes anything', async () => {
  await signIn(shared.credentials.viewerToken)
  for (const view of ['Curve', 'Keys', 'Webhooks', 'Audit']) {
    await open(view)
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
    const names = await page.locator('main').getByRole('button').allInnerTexts()
    expect([view, names]).toEqual([view, view === 'Curve' ? ['Preview'] : []])
  }
  await open('Curve')
  await button('Preview').click()
  await page.getByText('The rails accept this curve').waitFor()
  expect(await button('Store this curve').count()).toBe(0)
})

test('behavior: a page that is not visible requests nothing', async () => {
  await page.clock.install()
  await signIn(shared.credentials.adminToken)
  await page.getByText('Next boundary').waitFor()
  const count = () => visit.requested.filter((url) => url.endsWith('/status')).length
  const before = count()
  await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })")
  await page.clock.runFor(60_000)
  expect(count()).toBe(before)
  await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'visible' })")
  await page.clock.runFor(6_000)
  await expect.poll(count).toBeGreaterThan(before)
  await page.clock.fastForward(30 * 60_000)
  await page.getByText('The token was forgotten after 30 minutes without input.').waitFor()
})
