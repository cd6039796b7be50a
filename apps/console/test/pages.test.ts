// @module-tag slow

import { fileURLToPath } from 'node:url'
import { appendEvents } from '@tallystick/notify'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  createDeferrals,
  createKey,
  newDatabase,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { type Receiver, startReceiver } from '../../../packages/service/test/hook-receiver.ts'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'

// A service with a database that the test reaches, so that events and hours can be made. It serves the built console.
const directory = fileURLToPath(new URL('../../../packages/service/portal', import.meta.url))
const now = '2026-11-15T17:00:00Z'
const adminToken = 'an-admin-token-for-tests'
const viewToken = 'a-token-that-only-reads'

const used = useBrowser()
let service: TestService
let receiver: Receiver
let page: Page

beforeAll(async () => {
  if (!used.browser) return undefined
  const { defer, finish } = createDeferrals()
  receiver = await startReceiver({ tls: null }, defer)
  const tokens = [
    { name: 'alice', token: 'env:ADMIN_TOKEN', roles: ['all'] },
    { name: 'vi', token: 'env:VIEW_TOKEN', roles: ['view'] },
  ]
  const config = { admin: { port: 0, tokens }, hooks: { allowPrivate: ['127.0.0.0/8'] } }
  const setting = { databaseUrl: await newDatabase('postgres', defer), at: now, env: { VIEW_TOKEN: viewToken }, config }
  service = await start({ ...setting, portal: { directory } }, defer)
  page = (await used.open()).page
  return finish
})

async function signIn(token: string, hash: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('about:blank')
  await page.goto(`${service.adminUrl}/console${hash}`)
  await page.getByLabel('Admin token').fill(token)
  await page.keyboard.press('Enter')
}

const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
const refresh = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
const focusedText = () => page.evaluate<string>('document.activeElement.textContent')

/** Takes screenshots in the sizes and themes that people use. */
async function shootAll(name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await shoot(page, `${name}-${width}`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

test('default: a key has a page that survives a reload, with its use by hour, and is edited there by keyboard', async () => {
  const { id, secret } = await createKey(service, { name: 'wallet-app', rpm: 600, quotaPerDay: 5_000 })
  for (const path of ['/notes', '/notes', '/rate']) await service.call(path, { headers: { 'x-api-key': secret } })
  await service.database.query(
    `insert into api_key_hours (key_id, hour, scope, requests)
     select $1, $2::int - n, scope, 20 + (n * 37 + length(scope) * 11) % 90
     from generate_series(1, 46) n, unnest(array['notes', 'data', 'rate']) scope where n % 7 <> 3`,
    [id, Date.parse(now) / 3_600_000],
  )
  await signIn(adminToken, '#keys')
  await page.getByRole('link', { name: 'wallet-app' }).click()
  await heading('Key')
  expect(new URL(page.url()).hash).toBe(`#keys/${id}`)
  await expect.poll(focusedText).toBe('Key')
  await page.getByRole('heading', { name: 'Use in the last 48 hours' }).waitFor()
  const legend = page.locator('.use-legend')
  await expect.poll(() => legend.innerText()).toMatch(/\/notes [\d,]+\s+\/data [\d,]+\s+\/rate [\d,]+/)
  await page.getByText('As a table').click()
  const first = page.locator('.use-table tbody tr').first()
  expect((await first.innerText()).split(/\t/)).toEqual(['15 Nov 2026, 12:00', '2', '0', '1', '3'])
  expect(await findAxeFaults(page)).toEqual([])
  await page.getByText('As a table').click()
  await shootAll('console-key')

  await button('Edit').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  expect(await page.getByLabel('Requests per UTC day').inputValue()).toBe('5000')
  expect(await findAxeFaults(page, '.dialog')).toEqual([])
  await shootAll('console-key-edit')
  await page.getByLabel('Requests per minute').fill('1,200')
  await page.keyboard.press('Enter')
  await page.getByText('"1,200" is not a whole number from 1 to 1000000.').waitFor()
  await page.getByLabel('Requests per minute').fill('1200')
  await page.getByLabel('Requests per UTC day').fill('')
  await page.getByLabel('rate').uncheck()
  await page.keyboard.press('Escape')
  await expect.poll(focusedText).toBe('Edit')
  expect((await service.operator.showKey(id)).key.rpm).toBe(600)

  await page.keyboard.press('Enter')
  await page.getByLabel('Requests per minute').fill('1200')
  await page.getByLabel('Networks it may be used from').fill('10.0.0.0/8, 127.0.0.0/8')
  await button('Save').click()
  await page.getByText('The key of wallet-app is changed').waitFor()
  await page.getByText('Every replica knows it (1).').waitFor()
  await page.getByText('10.0.0.0/8, 127.0.0.0/8').waitFor()
  expect((await service.operator.showKey(id)).key).toMatchObject({
    rpm: 1_200,
    quotaPerDay: 5_000,
    scopes: ['notes', 'data', 'rate'],
  })

  await button('Edit').click()
  await service.operator.updateKey(id, { rpm: 7 })
  await page.getByLabel('Owner').fill('Somebody else')
  await button('Save').click()
  await page.getByText('somebody else has changed key').waitFor()
  expect((await service.operator.showKey(id)).key).toMatchObject({ name: 'wallet-app', rpm: 7 })
  await button('Cancel').click()

  await signIn(viewToken, `#keys/${id}`)
  await page.getByRole('heading', { name: 'wallet-app' }).waitFor()
  expect(await page.locator('main').getByRole('button').count()).toBe(0)
})

test('default: deliveries of a webhook with payload and response, sent again, and its secret rotated', async () => {
  receiver.respond = (response) =>
    response.writeHead(500, { 'x-trace': '42' }).end('<img src=x onerror=alert(1)> down for repairs')
  const { hook } = await service.operator.addHook({
    url: `${receiver.url.replace('receiver.test', '127.0.0.1')}?t=path-token`,
    types: ['status'],
  })
  const data = '{"message":"The chain is open.","chainid":"324","status":"open"}'
  const event = { type: 'status', chainId: 324, data, createdAt: 1_794_762_000n } as const
  const [{ id: eventId } = { id: 0n }] = await appendEvents(service.database, [event])
  await signIn(adminToken, '#webhooks')
  await page.getByRole('link', { name: hook.url }).click()
  await heading('Webhook')
  const row = page.locator('[data-row]')
  await expect
    .poll(async () => {
      await refresh()
      return row.allInnerTexts()
    })
    .toEqual([expect.stringMatching(/status \d+[\s\S]*retrying[\s\S]*500 in \d+ ms/)])
  expect(await findAxeFaults(page)).toEqual([])
  await shootAll('console-webhook')

  await row.getByRole('link').click()
  await heading('Delivery')
  expect(new URL(page.url()).hash).toBe(`#webhooks/${hook.id}/${eventId}`)
  await expect.poll(() => page.getByLabel('Body of the request').innerText()).toContain('"chainid": "324"')
  await page.getByText('Response', { exact: true }).click()
  // What a stranger sent is text.
  await expect
    .poll(() => page.getByLabel('Body of the response').innerText())
    .toBe('<img src=x onerror=alert(1)> down for repairs')
  expect(await page.getByLabel('Headers of the response').innerText()).toContain('x-trace: 42')
  expect(await page.locator('main img').count()).toBe(0)
  expect(await findAxeFaults(page)).toEqual([])
  await shootAll('console-delivery')

  const before = receiver.received.length
  receiver.respond = (response) => response.writeHead(200).end('thanks')
  await button('Send again').click()
  await page.getByText('The receiver accepted it').waitFor()
  await expect.poll(() => page.locator('.facts .pill').innerText()).toBe('delivered')
  await page.getByText('sent again by an operator').waitFor()
  const ids = receiver.received.slice(0, before + 1).map(({ headers }) => headers['webhook-id'])
  expect([receiver.received.length, new Set(ids).size]).toEqual([before + 1, 1])

  await page.getByRole('link', { name: 'All deliveries of the webhook' }).click()
  await button('Rotate the secret').click()
  await page.getByLabel('The old secret still signs').selectOption('3600')
  await button('Create the new secret').click()
  expect(await page.locator('.secret').innerText()).toMatch(/^whsec_/)
  await expect.poll(() => page.locator('.facts').innerText()).toMatch(/Secrets that sign\s+2/)
  await button('I have stored it').click()
  await appendEvents(service.database, [event])
  await expect.poll(() => receiver.received.at(-1)?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)

  await page.reload()
  await page.getByLabel('Admin token').fill(viewToken)
  await page.keyboard.press('Enter')
  await heading('Webhook')
  await page.getByText('https://127.0.0.1').or(page.getByText('http://127.0.0.1')).first().waitFor()
  expect(await page.locator('main').getByRole('button').count()).toBe(0)
  await page.goto(`${service.adminUrl}/console#webhooks/${hook.id}/${eventId}`)
  await page.getByText('Only a token with the role “hooks” sees').first().waitFor()
  expect(await page.content()).not.toMatch(/down for repairs|path-token/)
})

test('default: the audit in sentences, filtered in the URL, with details on demand, and failed sign-ins', async () => {
  const { id } = await createKey(service, { name: 'audited', scopes: ['notes', 'rate'], rpm: 60 })
  await service.admin('/status', { headers: { authorization: 'Bearer wrong-token' } })
  await signIn(adminToken, `#audit?subject=${id}`)
  await heading('Audit')
  const row = page.locator('[data-row]')
  await expect.poll(async () => (await row.allInnerTexts()).length).toBe(1)
  expect(await row.innerText()).toMatch(
    /alice created the key audited \(tsk_live_…\w{4}\) with notes and rate, 60 requests per minute\.\s+Details\s*$/,
  )
  await page.getByText('Details', { exact: true }).click()
  expect(await row.innerText()).toContain(`"subject": "${id}"`)
  await button(/^Only of key_/).click()
  await expect.poll(() => row.count()).toBeGreaterThan(1)
  expect(await page.evaluate('document.activeElement.id')).toBe('audit-by')
  await page.getByLabel('What').focus()
  await page.getByLabel('What').selectOption('hook')
  await expect.poll(async () => (await row.allInnerTexts()).every((text) => /webhook/.test(text))).toBe(true)
  expect(await page.evaluate('document.activeElement.id')).toBe('audit-action')
  await page.getByLabel('By whom').fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('No such changes are recorded.').waitFor()
  expect(new URL(page.url()).hash).toBe('#audit?action=hook&by=nobody')
  await page.getByLabel('What').selectOption('')
  await page.getByLabel('By whom').fill('')
  await page.keyboard.press('Enter')
  await expect.poll(() => row.count()).toBeGreaterThan(1)
  expect(await findAxeFaults(page)).toEqual([])
  await shootAll('console-audit')

  await page.getByRole('link', { name: 'Failed sign-ins' }).click()
  await heading('Failed sign-ins')
  await expect.poll(() => row.first().innerText()).toMatch(/127\.0\.0\.1[\s\S]*1$/)
  expect(await page.content()).not.toContain('wrong-token')
  expect(await findAxeFaults(page)).toEqual([])
  await shootAll('console-sign-ins')
})
