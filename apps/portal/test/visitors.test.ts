// @module-tag slow

import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot, type Visit } from '../../../packages/ui/test/browser.ts'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'
import { type Credentials, startSandbox } from '../../../test/set-up/start-sandbox.ts'

const shared = useBrowser()
let credentials: Credentials
let visit: Visit

beforeAll(async () => {
  if (!shared.browser) return undefined
  const sandbox = await startSandbox('--at', '2026-11-13T12:00:00-05:00', '--visitors')
  credentials = sandbox.credentials
  visit = await shared.open()
  return () => sandbox.stop()
})

const open = async (path: string): Promise<Page> => {
  await visit.reset()
  await visit.page.goto(credentials.baseUrl + path)
  return visit.page
}
const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name })
const accessButton = (page: Page) => page.locator('.top-tools button').first()
const visitorLabel = /^Visitor.*use an API key$/
const stored = (page: Page): Promise<readonly (string | null)[]> =>
  page.evaluate("[sessionStorage.getItem('tallystick.key'), localStorage.getItem('tallystick.key')]")
const useKey = async (page: Page, apiKey: string) => {
  await accessButton(page).click()
  await page.getByLabel('API key', { exact: true }).fill(apiKey)
}

test('default: a visitor sees rates, curve and history, looks a wallet up, lends and claims, without a key', async () => {
  const page = await open('/')
  const keys: string[] = []
  page.on('request', (request) => {
    const key = request.headers()['x-api-key']
    if (key !== undefined) keys.push(key)
  })
  await page.getByRole('button', { name: visitorLabel }).waitFor()
  await page.getByRole('table').first().waitFor()
  expect(await page.locator('#key-panel').count()).toBe(0)
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'visitor')
  const views = page.getByRole('navigation', { name: 'Views' })
  await views.getByRole('link', { name: 'History' }).click()
  await page.locator('#history-heading').waitFor()
  await page.locator('.steps svg').first().waitFor()
  await views.getByRole('link', { name: 'Lend' }).click()
  await page.getByRole('button', { name: /^Sandbox wallet/ }).click()
  await dialogButton(page, 'Connect').click()
  await page.getByRole('button', { name: /^Lend \$/ }).click()
  await dialogButton(page, 'Sign').click()
  await dialogButton(page, 'Confirm').click()
  await page.getByRole('link', { name: 'See your position' }).click()
  const claimable = page.locator('[data-complete="true"]').first()
  await claimable.getByRole('button', { name: /^Claim/ }).click()
  await dialogButton(page, 'Sign').click()
  await dialogButton(page, 'Confirm').click()
  await page.locator('#claim-paid').waitFor()
  await views.getByRole('link', { name: 'Explorer' }).click()
  await page.getByText('The explorer needs an API key').waitFor()
  await shoot(page, 'visitor-explorer')
  await page.getByRole('button', { name: 'Enter a key' }).click()
  await page.getByLabel('API key', { exact: true }).waitFor()
  expect(keys).toEqual([])
})

test('behavior: a token that expired while the machine slept is renewed unseen, once for all requests', async () => {
  const page = await open('/')
  await page.getByRole('table').first().waitFor()
  let visits = 0
  let refused = 0
  await page.route('**/portal/visit', async (route) => {
    visits += 1
    await route.continue()
  })
  // The service refuses the token until there is a new one, as it does after ten minutes.
  const refuseFirst = async (route: Route) => {
    if (visits > 0) return route.continue()
    refused += 1
    return route.fulfill({ status: 403, json: { message: 'Expired.', code: 'visitor_token_expired', requestId: 'x' } })
  }
  await page.route('**/history/**', refuseFirst)
  await page.route('**/data', refuseFirst)
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'History' }).click()
  await page.locator('.steps svg').first().waitFor()
  expect(refused).toBeGreaterThan(0)
  expect(visits).toBe(1)
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('error: when visitors are switched off while the page is open, it says so and asks for a key', async () => {
  const page = await open('/')
  await page.getByRole('table').first().waitFor()
  const off = (status: number, code: string) => (route: Route) =>
    route.fulfill({ status, json: { message: 'Off.', code, requestId: 'x' } })
  // What a service without the setting responds with.
  await page.route('**/portal/visit', off(404, 'not_found'))
  await page.route('**/history/**', off(403, 'invalid_api_key'))
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'History' }).click()
  await page.getByText('This service no longer lets visitors in').waitFor()
  expect(await page.evaluate('document.activeElement.id')).toBe('api-key')
  expect(await page.getByRole('button', { name: /visitor/i }).count()).toBe(0)
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'visitors-closed')
  await page.unroute('**/history/**')
  await page.getByLabel('API key', { exact: true }).fill(credentials.apiKey)
  await page.getByRole('button', { name: 'Use key' }).click()
  await page.locator('.steps svg').first().waitFor()
})

test('behavior: a key is kept over a reload, on the device only by choice, and forgotten on request', async () => {
  const page = await open('/')
  // The sandbox's own key is never kept, so this one is another.
  const apiKey = await createKey()
  const label = `Key …${apiKey.slice(-4)}`
  await useKey(page, apiKey)
  await shoot(page, 'key-panel-visitor')
  await page.getByRole('button', { name: 'Use key' }).click()
  await page.getByRole('button', { name: label }).waitFor()
  expect(await stored(page)).toEqual([apiKey, null])
  await page.reload()
  await page.getByRole('button', { name: label }).waitFor()
  await useKey(page, apiKey)
  const choice = page.getByLabel('Keep the key on this device')
  expect(await choice.isChecked()).toBe(false)
  await choice.check()
  expect(await page.locator('#key-panel').innerText()).toContain('stays in this browser until you forget it')
  await shoot(page, 'key-panel-device')
  await page.getByRole('button', { name: 'Use key' }).click()
  expect(await stored(page)).toEqual([null, apiKey])
  await page.reload()
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('button', { name: 'Forget the key and go on as a visitor' }).click()
  await page.getByRole('button', { name: visitorLabel }).waitFor()
  expect(await stored(page)).toEqual([null, null])
  await useKey(page, credentials.apiKey)
  await page.getByRole('button', { name: 'Use key' }).click()
  await page.getByRole('button', { name: /^Sandbox key/ }).waitFor()
  expect(await stored(page)).toEqual([null, null])
})

test('error: a key that was revoked is forgotten, and the visitor can go on without one', async () => {
  const page = await open('/')
  const gone = await createKey('revoked')
  await useKey(page, gone)
  await page.getByRole('button', { name: 'Use key' }).click()
  await page.getByText('This key is not valid').waitFor()
  expect(await stored(page)).toEqual([null, null])
  await page.setViewportSize({ width: 320, height: 700 })
  await shoot(page, 'key-panel-320')
  expect(await findAxeFaults(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('button', { name: 'Go on as a visitor' }).click()
  await page.getByRole('button', { name: visitorLabel }).waitFor()
  await page.getByRole('table').first().waitFor()
})

async function createKey(state?: 'revoked'): Promise<string> {
  const { adminUrl, adminToken } = credentials
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const response = await fetch(adminUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.ok).toBe(true)
    return (await response.json()) as { readonly key: { readonly id: string }; readonly secret: string }
  }
  const { key, secret } = await post('/keys', { name: 'page' })
  if (state) await post(`/keys/${key.id}/revoke`, { waitMs: 5_000 })
  return secret
}
