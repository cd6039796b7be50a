// @module-tag slow

import { randomBytes } from 'node:crypto'
import { createApiKey, decodeNote, type WireNote } from '@tallystick/core'
import { createPublicLog, type PublicLog } from '@tallystick/workbench/public-log/create-public-log'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type openVisit, readDownload, shoot, type Visit } from '../../../packages/ui/test/browser.ts'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'
import { type Credentials, startSandbox } from '../../../test/set-up/start-sandbox.ts'
import { readFixedIncome, readIncome } from './contract.ts'
import { formatNotesEntry } from './format-notes-entry.ts'

// 40 s before the boundary: the first page is read within a few seconds, or within this time on a slow machine. The tests
// until the boundary do not depend on when it comes. Those that do run after it.
const at = '2026-11-13T17:59:20-05:00'

const shared = useBrowser()
let credentials: Credentials
let base: string
/** Opened before the boundary. */
let early: Visit
let earlyAt: number
/** Note on offer before the boundary. */
let earlyNote: string
/** Page that the tests with a desktop browser use in turn: to open a new one takes three times as long. */
let desktop: Visit
const visits: Visit[] = []

beforeAll(async () => {
  if (!shared.browser) return
  const sandbox = await startSandbox('--at', at)
  credentials = sandbox.credentials
  base = credentials.baseUrl
  early = await open()
  earlyAt = performance.now()
  await early.page.goto(base)
  desktop = await open()
  return () => sandbox.stop()
})

/** Checks that no page sent a request to another origin. */
afterEach(() => {
  const foreign = visits.flatMap(({ requested }) => requested).filter((url) => !url.startsWith(`${base}/`))
  expect(foreign).toEqual([])
})

async function open(options: Parameters<typeof openVisit>[1] = {}): Promise<Visit> {
  const opened = await shared.open(options)
  visits.push(opened)
  return opened
}

type Media = Parameters<Page['emulateMedia']>[0]

async function visit(path: string, media: Media = {}): Promise<Visit> {
  await desktop.reset()
  await desktop.page.emulateMedia(media)
  await desktop.page.goto(`${base}${path}`)
  return desktop
}

function rows(page: Page): Promise<string[][]> {
  return page
    .locator('.board-curve tbody tr')
    .all()
    .then((found) => Promise.all(found.map((row) => row.locator('th, td').allInnerTexts())))
}

/** Answers the page's requests to the public log with another log. */
async function answerLog(page: Page, log: PublicLog): Promise<void> {
  await page.route('**/log/**', (route) => {
    const { pathname, search } = new URL(route.request().url())
    const resource = log.read(`${pathname.replace(/^\/log\//, '')}${search}`)
    if (resource.status !== 200) return route.fulfill({ status: resource.status, json: { code: resource.code } })
    return route.fulfill({ body: resource.body, contentType: resource.type })
  })
}

async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, ' ')
}

test('default: first load shows curve, table, rates, countdown and chain, in few bytes', async () => {
  const { page, bytes, requested } = early
  await page.locator('.notch').last().waitFor()
  expect(await textOf(page, '.hero-period')).toBe('13 Nov 2026, 00:00 to 18:00 New York')
  // The changes and the total rates arrive after the notes.
  await expect
    .poll(() => rows(page))
    .toEqual([
      ['7 days', '20 Nov 2026', '3.69%', expect.stringMatching(/^[+−]\d+ bps$/), expect.stringMatching(/^\d+\.\d\d%$/)],
      ...['14', '30', '60', '90', '180', '360'].map((days) => expect.arrayContaining([`${days} days`])),
    ])
  expect(await textOf(page, '.board-curve caption')).toContain('Change since 12 Nov 2026, 18:00 to 24:00.')
  expect(await page.locator('.curve svg desc').textContent()).toContain('7 days 3.69%, 14 days 3.65%')
  await expect
    .poll(() => textOf(page, '.rate-sync'))
    .toMatch(/^Protocol Synced The floating income of 12 Nov 2026 \(UTC\) has been set\./)
  await expect.poll(() => textOf(page, '.board-side')).toMatch(/Pool open.*Data from block \d[\d,]*, \d+ s old/)
  expect(await textOf(page, '.countdown-at')).toBe('at 18:00 New York')
  const answer = await page.request.get(`${base}/notes?maturity=7`, { headers: { 'x-api-key': credentials.apiKey } })
  earlyNote = await answer.text()
  // The arrival of the notes does not repeat the request. It is repeated every 20 s.
  const rateCount = requested.filter((url) => url === `${base}/rate`).length
  expect(rateCount).toBeGreaterThan(0)
  expect(rateCount).toBeLessThanOrEqual(1 + (performance.now() - earlyAt) / 20_000)
  const size = await bytes()
  expect(size).toBeGreaterThan(20_000)
  expect(size).toBeLessThan(200 * 1024)
  await shoot(page, 'overview')
})

test('behavior: shows a wallet’s positions with the income the contract computes', async () => {
  const { page } = await visit('/wallet')
  await page.getByLabel('Address').fill('0x12')
  await page.keyboard.press('Enter')
  expect(await page.locator('#wallet-fault').innerText()).toContain('40 hex digits')
  await page.getByLabel('Address').fill(credentials.wallets[0]!.address)
  await page.keyboard.press('Enter')
  await page.locator('.earnings').waitFor()
  const computedAt = BigInt(Date.parse((await page.locator('#wallet-at').getAttribute('datetime'))!) / 1000)
  const active = await page.locator('tr[data-token]:has(data)').all()
  expect(active.length).toBeGreaterThan(0)
  for (const row of active) {
    const tokenId = BigInt((await row.getAttribute('data-token'))!)
    const income = await readIncome(credentials, { tokenId, at: computedAt })
    const amounts = await row.locator('data').all()
    const shown = await Promise.all(amounts.map((amount) => amount.getAttribute('value')))
    expect(shown).toEqual([income.fixed.toString(), income.floating.toString()])
  }
  expect(await page.locator('.timeline li').count()).toBe(active.length)
  await shoot(page, 'wallet')
  await page.getByLabel('Address').fill('0x000000000000000000000000000000000000dEaD')
  await page.keyboard.press('Enter')
  await page.getByText('No positions').waitFor()
})

describe('the key', () => {
  test('error: a malformed key is rejected without a request, an unknown one by the service', async () => {
    const { page, requested } = await visit('/')
    await page.locator('.notch').last().waitFor()
    await page.getByRole('button', { name: 'change the API key' }).click()
    const field = page.locator('#api-key')
    // Checks the keys of requests, because the page also polls the rates with its current key.
    const keys: (string | undefined)[] = []
    page.on('request', (request) => keys.push(request.headers()['x-api-key']))
    await field.fill('tsk_live_cut')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This key is not valid.').waitFor()
    expect(keys).not.toContain('tsk_live_cut')
    const unknown = createApiKey({ kind: 'live', randomBytes })
    await field.fill(unknown)
    await page.keyboard.press('Enter')
    await page.getByText('With a key, this page shows').waitFor()
    await page.getByRole('alert').getByText('This key is not valid.').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('api-key')
    expect(await page.locator('.board').count()).toBe(0)
    expect(await field.inputValue()).toBe(unknown)
    await shoot(page, 'wrong-key')
    await field.fill(credentials.apiKey)
    await page.keyboard.press('Enter')
    await page.locator('.notch').last().waitFor()
    const kept = '[location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie].join()'
    const text = (await page.evaluate(kept)) as string
    expect(text).not.toMatch(/tsk_/)
    expect(requested.some((url) => url.includes('tsk_'))).toBe(false)
  })

  test('error: a key without a scope shows which scope is missing, and the rest works', async () => {
    const created = await fetch(`${credentials.adminUrl}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'notes only', scopes: ['notes'] }),
    })
    const { secret } = (await created.json()) as { secret: string }
    const { page } = await visit('/')
    await page.getByRole('button', { name: 'change the API key' }).click()
    await page.locator('#api-key').fill(secret)
    await page.keyboard.press('Enter')
    await expect.poll(() => textOf(page, '.rate-sync')).toContain('it lacks the scope "rate"')
    await expect.poll(() => rows(page)).toHaveLength(7)
    await page.locator('#fixed-income').waitFor()
    await shoot(page, 'notes-only')
  })
})

test('behavior: fits a phone without horizontal scrolling', async () => {
  const options = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
  const { page } = await open(options)
  await page.goto(base)
  await page.locator('.notch').last().waitFor()
  for (const view of ['', 'history', 'wallet', 'verify', 'explorer']) {
    await page.goto(`${base}/${view}`)
    if (view === 'history') await page.locator('.steps svg').last().waitFor()
    if (view === 'wallet') {
      await page.locator('.chip').first().click()
      await page.locator('.earnings').waitFor()
    }
    if (view === 'explorer') await page.locator('.explorer').waitFor()
    expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, 360])
    await shoot(page, `phone-${view || 'overview'}`)
  }
  await page.context().close()
})

test('behavior: the coming periods are saved as a calendar file', async () => {
  const { page } = await visit('/')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Add to calendar (.ics)' }).click()
  const text = await readDownload(await saved)
  expect(text).toMatch(/^BEGIN:VCALENDAR\r\n/)
  expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(2 * 92)
  await page.route('**/calendar?*', (route) => route.fulfill({ status: 503 }))
  await page.getByRole('button', { name: 'Add to calendar (.ics)' }).click()
  await page.getByRole('alert').getByText('The calendar cannot be loaded. Try again.').waitFor()
})

test('behavior: follows the system’s theme until the visitor chooses one', async () => {
  const { page } = await visit('/', { colorScheme: 'dark' })
  await page.locator('.notch').last().waitFor()
  const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  await expect.poll(background).toBe('rgb(18, 16, 13)')
  await shoot(page, 'overview-dark')
  await page.getByRole('button', { name: 'Use the light theme' }).click()
  await expect.poll(background).toBe('rgb(247, 244, 238)')
  await page.reload()
  await page.locator('.notch').last().waitFor()
  expect(await background()).toBe('rgb(247, 244, 238)')
})

test('error: without notes the page shows the error and no notes', async () => {
  const { page } = await visit('/verify')
  const body = { message: 'There are no notes for the current period.', code: 'notes_unavailable', requestId: 'x' }
  await page.route('**/notes', (route) => route.fulfill({ status: 500, json: body, headers: { 'retry-after': '5' } }))
  await page.goto(`${base}/`)
  await page.reload()
  await page.getByText('No notes are available').waitFor()
  expect(await rows(page)).toEqual([['No notes are on offer.']])
  expect(await page.locator('.notch').count()).toBe(0)
  await shoot(page, 'no-notes')
})

test('behavior: every view has a URL and a title, and reload, back, sharing and old links work', async () => {
  const { page } = await visit('/#/history?days=7&chain=324')
  await expect.poll(() => page.url()).toBe(`${base}/history?days=7&chain=324`)
  await expect.poll(() => page.title()).toBe('History · Tallystick')
  await page.getByRole('link', { name: 'Wallet' }).click()
  const owner = credentials.wallets[0]!.address
  await page.getByLabel('Address').fill(owner)
  await page.keyboard.press('Enter')
  await page.locator('.earnings').waitFor()
  expect(page.url()).toBe(`${base}/wallet/${owner}`)
  await expect.poll(() => page.title()).toBe(`Wallet ${owner.slice(0, 6)}…${owner.slice(-4)} · Tallystick`)
  await page.getByRole('link', { name: 'Verify' }).click()
  await expect.poll(() => page.title()).toBe('Verify a note · Tallystick')
  expect(page.url()).toBe(`${base}/verify`)
  await page.goBack()
  await page.locator('.earnings').waitFor()
  await page.reload()
  await page.locator('.earnings').waitFor()
  expect(await page.getByLabel('Address').inputValue()).toBe(owner)
  for (const segment of ['%3Cscript%3Ealert(1)%3C%2Fscript%3E', 'a'.repeat(5_000), '%00']) {
    await page.goto(`${base}/wallet/${segment}`)
    await page.locator('#wallet-fault').waitFor()
    expect([await page.title(), await page.locator('.earnings').count()]).toEqual(['Wallet · Tallystick', 0])
  }
  await page.goBack()
  await page.goto(`${base}/lend?chainid=324&maturity=7`)
  await expect.poll(() => page.title()).toBe('Lend · Tallystick')
})

test('behavior: a view has the focus as soon as it appears, so that it cannot take it from a field', async () => {
  const { page } = await visit('/')
  await page.locator('.notch').last().waitFor()
  // Simulates a busy machine that draws no frame.
  await page.evaluate('window.requestAnimationFrame = () => 0')
  const focusedFirst = page.evaluate<string>(`new Promise((resolve) => {
    const section = document.querySelector('section[aria-labelledby=wallet-heading]')
    const look = () => {
      if (!section.hidden) resolve(document.activeElement.id)
    }
    new MutationObserver(look).observe(section, { attributes: true })
    document.querySelector('nav a[href="/wallet"]').click()
  })`)
  expect(await focusedFirst).toBe('wallet-heading')
})

test('behavior: the page can be used by keyboard alone', async () => {
  const { page } = await visit('/')
  await page.locator('.notch').last().waitFor()
  const focused = () =>
    page.evaluate<string>(
      `(() => { const e = document.activeElement; return e.textContent.trim() || e.id || e.tagName })()`,
    )
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to content')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Notes')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Lend')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('History')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('wallet-heading')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('wallet-address')
  await page.keyboard.type(credentials.wallets[1]!.address)
  await page.keyboard.press('Enter')
  await page.locator('.earnings').waitFor()
  await page.goto(`${base}/`)
  // A hidden element cannot have the focus, and `focus` does not wait for visibility.
  await page.getByLabel('Amount to lend').waitFor()
  // The terms of the calculator come with the notes, and until then Tab goes past them.
  await page.locator('.notch').last().waitFor()
  await page.getByLabel('Amount to lend').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.locator('.is-chosen .tenor').innerText()).toBe('60')
  await page.goto(`${base}/explorer`)
  const query = page.getByRole('textbox', { name: 'GraphQL query' })
  await query.waitFor()
  await query.focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate(`document.activeElement.shadowRoot?.activeElement?.getAttribute('aria-label')`)).toBe(
    'Variables, as JSON',
  )
})

test('behavior: a page opened before the boundary shows the new notes after it', async () => {
  const { page } = early
  await expect.poll(() => textOf(page, '.hero-period'), { interval: 250 }).toBe('13 Nov 2026, 18:00 to 24:00 New York')
  expect(await textOf(page, '.countdown-time')).toMatch(/^(06:00:00|05:5\d:\d\d)$/)
  expect(await textOf(page, '.countdown-at')).toBe('at Sat 00:00 New York')
  await expect.poll(() => textOf(page, '.board-curve caption')).toContain('Change since 13 Nov 2026, 00:00 to 18:00.')
  expect((await rows(page)).map((cells) => cells[3])).toEqual(Array.from({ length: 7 }, () => 'unchanged'))
  await shoot(page, 'after-the-boundary')
  await page.goto(`${base}/verify`)
  await page.getByLabel('A note, or a response').fill(earlyNote)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByRole('heading', { name: 'Genuine, but expired' }).waitFor()
})

test('behavior: the calculator shows exactly what the contract pays', async () => {
  const { page } = await visit('/')
  await page.getByLabel('Amount to lend').fill('12,345.67')
  await page.getByRole('radio', { name: '90', exact: true }).check()
  const fixed = page.locator('#fixed-income')
  await fixed.waitFor()
  const [shown, lentAt] = await page.evaluate<[string, string]>(
    `[document.querySelector('#fixed-income').value, document.querySelector('.result .hint time').dateTime]`,
  )
  const answer = await page.request.get(`${base}/notes?maturity=90`, { headers: { 'x-api-key': credentials.apiKey } })
  const [wire] = ((await answer.json()) as { data: [WireNote] }).data
  const principal = 12_345_670_000_000_000_000_000n
  const note = decodeNote(wire)
  const paid = await readFixedIncome(credentials, { note, principal, at: BigInt(Date.parse(lentAt) / 1000) })
  expect(BigInt(shown)).toBe(paid)
  // Rounded down: the contract pays what is called certain.
  expect(BigInt((await fixed.innerText()).replace(/\D/g, ''))).toBe(paid / 10n ** 16n)
  expect(await fixed.innerText()).toMatch(/^\$10\d\.\d\d$/)
  await page.getByLabel('Amount to lend').fill('ten')
  expect(await textOf(page, '#amount-hint')).toContain('Enter dollars')
  expect(await fixed.count()).toBe(0)
})

test('error: when the service is unreachable, loaded notes stay visible and lookups show what to do', async () => {
  const { page } = await visit('/')
  await page.locator('.notch').last().waitFor()
  await page.getByRole('link', { name: 'Wallet' }).click()
  await page.context().setOffline(true)
  await page.getByLabel('Address').fill(credentials.wallets[0]!.address)
  await page.keyboard.press('Enter')
  await page.getByText('The service cannot be reached').waitFor()
  await shoot(page, 'unreachable')
  await page.getByRole('link', { name: 'Notes', exact: true }).click()
  expect(await rows(page)).toHaveLength(7)
})

describe('verify', () => {
  test('behavior: a note on offer is genuine, an altered one is not', async () => {
    const { page } = await visit('/verify')
    await page.getByRole('button', { name: 'Use a current note' }).click()
    await page.getByRole('heading', { name: 'Genuine and usable now' }).waitFor()
    const [{ signer }] = credentials.chains
    await expect
      .poll(() => textOf(page, '.verdict'))
      .toMatch(/Public log Logged as entry \d+ on \d+ Nov 2026, \d\d:\d\d(:\d\d)? New York/)
    expect(await textOf(page, '.verdict')).toContain(`Signed by ${signer} Signer of this service ${signer}`)
    expect(await textOf(page, '.verdict')).toMatch(/Usable before (13 Nov 2026, 18:00|14 Nov 2026, 00:00) New York/)
    await shoot(page, 'verify-good')
    const pasted = page.getByLabel('A note, or a response')
    const note = JSON.parse(await pasted.inputValue()) as WireNote
    await pasted.fill(JSON.stringify({ ...note, coupon: '999' }))
    // The verdict was on the text before.
    await expect.poll(() => page.locator('.verdict').count()).toBe(0)
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    await page.getByRole('heading', { name: 'Not genuine' }).waitFor()
    expect(await textOf(page, '.verdict')).toContain('The signature does not show which')
    expect(await textOf(page, '.verdict')).not.toContain(`Signed by ${signer}`)
    await shoot(page, 'verify-bad')
  })

  test('behavior: the public log is checked, with a key from elsewhere, and a fork is shown in red', async () => {
    const { page } = await visit('/verify')
    const answer = await page.request.get(`${base}/notes`, { headers: { 'x-api-key': credentials.apiKey } })
    const { data } = (await answer.json()) as { data: WireNote[] }
    const honest = createPublicLog({ origin: 'notes.example/log' })
    honest.append('{"v":1,"type":"curve"}')
    honest.append(formatNotesEntry(data, '1794610203'))
    honest.publish()
    await answerLog(page, honest)
    const fact = page.locator('.verdict .facts > div', { hasText: 'Public log' })
    await page.getByLabel('A note, or a response').fill(JSON.stringify(data[0]))
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    await fact.getByText('Logged as entry 1 on 13 Nov 2026, 17:50:03 New York').waitFor()
    await shoot(page, 'verify-logged')
    const fork = honest.fork(1)
    fork.append(formatNotesEntry(data, '1794610204'))
    fork.publish()
    await answerLog(page, fork)
    // The checkpoint survives a reload.
    await page.reload()
    await page.getByLabel('A note, or a response').fill(JSON.stringify(data[0]))
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    await page.getByRole('alert').getByText('two histories').waitFor()
    await page.getByText('Both checkpoints', { exact: true }).click()
    for (const { checkpoint } of [honest, fork]) {
      expect(await page.locator('.notice pre').allTextContents()).toContain(checkpoint)
    }
    await page.getByRole('heading', { name: 'Genuine, but the public log cannot be trusted' }).waitFor()
    await shoot(page, 'verify-forked')
    await page.getByRole('button', { name: 'forget the old one' }).click()
    await fact.getByText('Logged as entry 1 on 13 Nov 2026, 17:50:04').waitFor()
    await page.getByText('Key of the public log').click()
    const field = page.getByLabel('Verifier key from elsewhere')
    await field.fill('notes.example/log+cut')
    expect(await textOf(page, '#log-key-hint')).toContain('not a verifier key')
    await field.fill(createPublicLog({ origin: 'notes.example/log' }).key)
    await page.getByRole('alert').getByText('The public log cannot be trusted').waitFor()
    await field.fill(fork.key)
    await fact.getByText('Logged as entry 1 on 13 Nov 2026, 17:50:04').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('error: a note that is not logged, a log that cannot be reached, and a service without a log', async () => {
    const { page } = await visit('/verify')
    const fact = page.locator('.verdict .facts > div', { hasText: 'Public log' })
    const use = () => page.getByRole('button', { name: 'Use a current note' }).click()
    await answerLog(page, createPublicLog())
    await use()
    await expect.poll(() => fact.innerText()).toContain('Not logged. The log has no notes for this period.')
    await page.getByRole('heading', { name: 'Genuine, but not logged' }).waitFor()
    await shoot(page, 'verify-not-logged')
    await page.unroute('**/log/**')
    await page.route('**/log/**', (route) => route.abort())
    await use()
    await expect.poll(() => fact.innerText()).toContain('The log cannot be reached.')
    await page.unroute('**/log/**')
    await page.route('**/log/key', (route) => route.fulfill({ status: 404, json: { code: 'not_found' } }))
    await use()
    await expect.poll(() => fact.innerText()).toContain('This service has no public log.')
  })

  test('behavior: accepts a response of /notes, and reports unknown chains and invalid input', async () => {
    const { page } = await visit('/verify')
    const answer = await page.request.get(`${base}/notes`, { headers: { 'x-api-key': credentials.apiKey } })
    const pasted = page.getByLabel('A note, or a response')
    const verify = page.getByRole('button', { name: 'Verify', exact: true })
    await pasted.fill(await answer.text())
    await verify.click()
    await page.getByRole('heading', { name: '7 of 7 genuine' }).waitFor()
    await expect.poll(() => textOf(page, '.verdict header')).toContain('7 of 7 are in the public log.')
    expect(await page.getByText('Note 1: 3.69%').isVisible()).toBe(false)
    await page.getByText('All 7 notes').click()
    expect(await page.getByText('Signed by').first().isVisible()).toBe(false)
    await page.locator('.verdict-note summary').nth(2).press('Enter')
    await page.getByText('Signed by').nth(2).waitFor()
    const forged = { ...((await answer.json()) as { data: WireNote[] }) }
    forged.data[4] = { ...forged.data[4]!, coupon: '999' }
    await pasted.fill(JSON.stringify(forged))
    await verify.click()
    await page.getByRole('heading', { name: '6 of 7 genuine' }).waitFor()
    expect(await textOf(page, '.verdict header')).toContain('Not genuine: note 5.')
    await shoot(page, 'verify-forged')
    const [first] = ((await answer.json()) as { data: [WireNote] }).data
    await pasted.fill(JSON.stringify({ ...first, chainid: '1' }))
    await verify.click()
    await page.getByText('The note is for chain 1').waitFor()
    for (const [text, complaint] of [
      ['{', 'The text is not JSON'],
      ['{}', '"signature" must be an object'],
      [JSON.stringify({ ...first, coupon: undefined }), '"coupon" must be an integer in quotes, but is missing'],
      [JSON.stringify({ ...first, coupon: 3.5 }), '"coupon" must be an integer in quotes'],
      ['[]', 'The response contains no notes'],
      ['"0x"', 'must be an object'],
    ] as const) {
      await pasted.fill(text)
      await verify.click()
      await page.getByText(complaint).waitFor()
    }
  })
})
