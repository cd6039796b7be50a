// @module-tag slow

import type { Page, Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'

const shared = useSharedPage()
// The page's own clock stands still and is moved by the tests, so that no time passes while a slow machine works.
const lostWithinMs = 10_000
const backWithinMs = 5_000
const isLost = `document.querySelector('.data-age')?.classList.contains('is-lost')`

/** Opens a path with a clock that stands still once the page is loaded. */
async function open(path: string, loaded: string): Promise<Page> {
  const { page } = await shared.open()
  const expectQuiet = trackRequests(page)
  await page.clock.install()
  await page.goto(`${shared.credentials.baseUrl}${path}`)
  await page.locator(loaded).first().waitFor({ state: 'attached' })
  await page.clock.pauseAt((await now(page)) + 1_000)
  // A late response to a request of the load would be a sign of life, and could lead to another request.
  await expectQuiet()
  return page
}

/** Returns a function that waits until a page has waited for no response for a while. */
function trackRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>()
  page.on('request', (request) => pending.add(request))
  // Not the end of the response: that of a stream has none.
  page.on('response', (response) => pending.delete(response.request()))
  page.on('requestfailed', (request) => pending.delete(request))
  let quietPolls = 0
  return () =>
    expect
      .poll(() => {
        quietPolls = pending.size === 0 ? quietPolls + 1 : 0
        return quietPolls
      })
      .toBeGreaterThan(5)
}

function now(page: Page): Promise<number> {
  return page.evaluate<number>('Date.now()')
}

/** Moves the clock until a condition holds, and returns by how much. `atLeastMs` passes at once, the rest bit by bit. */
async function passUntil(page: Page, condition: string, atLeastMs = 0): Promise<number> {
  const startedAt = await now(page)
  await page.clock.runFor(atLeastMs)
  await expect
    .poll(async () => {
      await page.clock.runFor(2)
      return Boolean(await page.evaluate(condition))
    })
    .toBe(true)
  return (await now(page)) - startedAt
}

const views: readonly [path: string, loaded: string][] = [
  ['/', '.rate-sync time'],
  ['/lend', '#lend-announcement'],
  ['/history', '.steps svg'],
  ['/wallet/{wallet}', '.earnings'],
  ['/verify', '.data-age time'],
  ['/explorer', '.explorer .cm-content'],
  ['/docs', '.docs-neighbours, .docs-page'],
]

test.each(views)('default: %s says that the network is gone, and recovers when it is back', async (path, loaded) => {
  const page = await open(path.replace('{wallet}', shared.credentials.wallets[0]!.address), loaded)
  const age = page.locator('.data-age')
  expect(await age.innerText()).toMatch(/^Data from \d\d:\d\d:\d\d$/)
  await page.context().setOffline(true)
  expect(await passUntil(page, isLost)).toBeLessThan(lostWithinMs)
  expect(await age.innerText()).toMatch(/^Reconnecting\. Data from \d\d:\d\d:\d\d$/)
  // What was loaded stays.
  expect(await page.locator(loaded).first().count()).toBe(1)
  await shoot(page, `offline-${path.split('/')[1] || 'overview'}`)
  const rated = page.waitForResponse('**/rate')
  await page.context().setOffline(false)
  expect(await passUntil(page, `!(${isLost})`)).toBeLessThan(backWithinMs)
  expect((await rated).ok()).toBe(true)
  await expect.poll(() => page.locator('[role=status]', { hasText: 'The service responds again.' }).count()).toBe(1)
  await page.locator(loaded).first().waitFor({ state: 'attached' })
  await page.context().close()
})

const faults: readonly [name: string, answer: (page: Page) => Promise<unknown>][] = [
  ['never answers', (page) => page.route('**/*', () => undefined)],
  [
    'is a captive portal',
    (page) => page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Log in</h1>' })),
  ],
  ['is a proxy without its service', (page) => page.route('**/*', (route) => route.fulfill({ status: 502 }))],
  ['refuses connections', (page) => page.route('**/*', (route) => route.abort('connectionrefused'))],
]

test.each(faults)('error: a server that %s is found within 10 s, and its end within 5 s', async (_, fail) => {
  const page = await open('/lend', '#lend-announcement')
  await page.unrouteAll()
  await fail(page)
  // At most this passes without an event of the browser: a quiet time and a probe that hangs.
  expect(await passUntil(page, isLost, 9_000)).toBeLessThan(lostWithinMs)
  const lend = page.getByRole('button', { name: /^Lend \$/ })
  expect(await lend.isDisabled()).toBe(true)
  expect(await page.locator('#lend-announcement').innerText()).toContain('The service does not respond.')
  await page.clock.runFor(60_000)
  expect(await page.evaluate(isLost)).toBe(true)
  await page.unrouteAll()
  // Requests that hang are given up. The others fail at once.
  expect(await passUntil(page, `!(${isLost})`, 3_000)).toBeLessThan(backWithinMs)
  await expect
    .poll(async () => {
      await page.clock.runFor(2)
      return page.locator('#lend-announcement').innerText()
    })
    .not.toContain('does not respond')
  await page.context().close()
})

test('behavior: a view that was not loaded says so and opens by itself, without a reload', async () => {
  for (const [name, path, loaded, mode] of [
    ['Lend', '/lend', '#lend-announcement', 'offline'],
    ['Docs', '/docs', '.docs-page', 'hangs'],
    ['Explorer', '/explorer', '.explorer', 'offline'],
  ] as const) {
    const page = await open('/verify', '.data-age time')
    await page.evaluate('window.isSamePage = true')
    if (mode === 'offline') await page.context().setOffline(true)
    else await page.route('**/*', () => undefined)
    await page.getByRole('link', { name, exact: true }).click()
    const says = `document.body.innerText.includes('The view opens by itself when the network is back.')`
    expect(await passUntil(page, says, mode === 'offline' ? 0 : 9_000)).toBeLessThan(lostWithinMs)
    if (name === 'Lend') await shoot(page, 'view-not-loaded')
    await page.context().setOffline(false)
    await page.unrouteAll()
    await passUntil(page, `!(${isLost})`, 3_000)
    await expect
      .poll(async () => {
        await page.clock.runFor(20)
        return page.locator(loaded).count()
      })
      .toBe(1)
    expect(await page.evaluate('[window.isSamePage, location.pathname]')).toEqual([true, path])
    await page.context().close()
  }
})

test('error: a view that the new version of the service does not have offers a reload', async () => {
  const page = await open('/verify', '.data-age time')
  const body = { code: 'not_found', message: 'The page has no such file.' }
  await page.route('**/assets/lend-page-*.js', (route) => route.fulfill({ status: 404, json: body }))
  await page.getByRole('link', { name: 'Lend', exact: true }).click()
  await passUntil(page, `document.body.innerText.includes('The service was updated')`)
  expect(await page.evaluate(isLost)).toBe(false)
  await page.unrouteAll()
  await page.clock.resume()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.locator('#lend-announcement').waitFor()
  await page.context().close()
})

test('error: a page that is opened while the service is away says so and opens by itself', async () => {
  const { page } = await shared.open()
  await page.clock.install()
  await page.route('**/portal.json', (route) => route.abort('connectionrefused'))
  await page.goto(`${shared.credentials.baseUrl}/history`)
  await page.getByText('The page opens by itself when it does.').waitFor()
  expect(await page.locator('#shell').count()).toBe(0)
  await shoot(page, 'service-down')
  expect(await findAxeFaults(page)).toEqual([])
  await page.clock.pauseAt((await now(page)) + 1_000)
  await page.unrouteAll()
  expect(await passUntil(page, `document.querySelector('.top-bar')`, 3_000)).toBeLessThan(backWithinMs)
  await page.context().close()
})

test('behavior: a hidden page neither probes nor polls, and asks at once when it is shown', async () => {
  const page = await open('/', '.rate-sync time')
  const requested: string[] = []
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await show('hidden')
  page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  await page.clock.runFor(120_000)
  // The SDK keeps the notes and their stream alive.
  expect(requested.filter((path) => path !== '/events' && path !== '/notes')).toEqual([])
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  await page.clock.runFor(120_000)
  expect(await page.evaluate(isLost)).toBe(false)
  await show('visible')
  await expect.poll(() => requested.toSorted()).toEqual(expect.arrayContaining(['/portal.json', '/rate']))
  expect(await passUntil(page, isLost)).toBeLessThan(lostWithinMs)
  await page.context().close()
})

test('behavior: the banner of a pause names claims and goes away within a poll of its end, also beside a wallet', async () => {
  const { page } = await shared.open()
  const pool = { status: 'paused', statusReason: 'The pool is paused.' }
  await page.clock.install()
  await page.route('**/rate', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    return route.fulfill({ response, json: { ...body, chains: [{ ...body.chains[0], ...pool }, body.chains[1]] } })
  })
  await page.goto(`${shared.credentials.baseUrl}/wallet/${shared.credentials.wallets[0]?.address}`)
  const banner = page.locator('.closed-pools')
  await expect.poll(() => banner.innerText()).toContain('Nobody can lend or claim there until the pause ends.')
  await page.locator('.earnings').waitFor()
  await shoot(page, 'wallet-paused')
  await page.clock.pauseAt((await now(page)) + 1_000)
  Object.assign(pool, { status: 'rejecting', statusReason: 'Another signer.' })
  await passUntil(page, `document.querySelector('.closed-pools').innerText.includes('Claims work.')`, 20_000)
  Object.assign(pool, { status: 'open', statusReason: 'The pool is not paused.' })
  await passUntil(page, `document.querySelector('.closed-pools').innerText === ''`, 20_000)
  await page.context().close()
})
