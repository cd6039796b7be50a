// @module-tag slow

import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { generatePrivateKey } from 'viem/accounts'
import { expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'
import { hasPython, type PythonCall, runCurls, runPrograms, runPython, runPythonStream } from './run-samples.ts'

const shared = useSharedPage()

// Pages whose examples are complete requests or programs. Those of the others are for the operator, or fragments.
const runnable = [
  ...['first-note', 'boundary', 'note-limits', 'lend', 'verify', 'positions', 'webhooks', 'going-live'],
  ...['basics', 'notes', 'data', 'rate', 'history', 'events', 'chains', 'log', 'subgraph', 'documentation'],
]

/** Example as the page copies it. */
type Copied = { readonly page: string; readonly language: string; readonly label: string; readonly source: string }

/** Reads every page: the examples that its buttons copy, its links and its ids. */
async function readPages(page: Page) {
  await page.locator('.docs-endpoints').waitFor()
  const paths = await page.$$eval('.docs-nav a[href^="/docs"]', (links) =>
    links.map((link) => link.getAttribute('href')!),
  )
  const copied: Copied[] = []
  const places = new Map<string, readonly string[]>()
  const links = new Set<string>()
  for (const path of paths) {
    await page.evaluate(`document.querySelector('.docs-nav a[href="${path}"]').click()`)
    await page.locator(`.docs-nav a[href="${path}"][aria-current]`).waitFor({ state: 'attached' })
    await page.locator('.docs-neighbours').waitFor()
    const read = await page.evaluate<{ samples: Omit<Copied, 'page'>[]; ids: string[]; hrefs: string[] }>(readPage)
    copied.push(...read.samples.map((sample) => ({ page: path, ...sample })))
    places.set(path, read.ids)
    for (const href of read.hrefs) links.add(new URL(href, `https://page${path}`).href.slice('https://page'.length))
  }
  return { copied, places, links: [...links] }
}

// Runs in the browser. The buttons copy into a list instead of the clipboard, which needs a permission.
const readPage = `(async () => {
  const samples = []
  let text
  navigator.clipboard.writeText = (copied) => { text = copied; return Promise.resolve() }
  const rendered = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  for (const language of ['sh', 'ts', 'python']) {
    document.querySelector('.docs-page [role=tab][id$="-' + language + '"]')?.click()
    await rendered()
    for (const figure of document.querySelectorAll('.docs-page .docs-example')) {
      if (!figure.querySelector('[role=tab][aria-selected=true][id$="-' + language + '"]')) continue
      figure.querySelector('.docs-tool:last-of-type').click()
      samples.push({ language, label: figure.querySelector('pre').getAttribute('aria-label'), source: text })
    }
  }
  return {
    samples,
    ids: [...document.querySelectorAll('.docs-page [id]')].map(({ id }) => id),
    hrefs: [...document.querySelectorAll('.docs-page a[href^="/"], .docs-page a[href^="#"]')].map((link) => link.getAttribute('href')),
  }
})()`

const isFocused = (page: Page, selector: string) =>
  page.evaluate<boolean>(`document.activeElement === document.querySelector('${selector}')`)

const topOf = (page: Page, id: string) =>
  page.evaluate<number>(`document.getElementById('${id}').getBoundingClientRect().top`)

const secret = `whsec_${Buffer.from('a secret of 24 bytes, ab').toString('base64')}`

/** Returns calls of the function that verifies a webhook: a genuine request, and a forged one. */
function webhookCalls(): readonly PythonCall[] {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const body = '{"type":"test"}'
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64')
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,old v1,${signature}`,
  }
  return [
    ['is_genuine', [headers, body, secret]],
    ['is_genuine', [headers, `${body} `, secret]],
  ]
}

test('default: every example of every page runs as copied, and every link leads to a place that exists', async () => {
  const { page } = await shared.visit('/docs')
  const { credentials } = shared
  const { copied: all, places, links } = await readPages(page)
  const copied = all.filter((sample) => runnable.some((segment) => sample.page === `/docs/${segment}`))
  const document = (await (await page.request.get(`${credentials.baseUrl}/openapi.json`)).json()) as {
    readonly paths: Record<string, Record<string, { readonly security: readonly unknown[] }>>
  }
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect([...places.keys()]).toEqual(expect.arrayContaining(runnable.map((segment) => `/docs/${segment}`)))

  // Each endpoint has an example in each language.
  for (const [language, name] of [
    ['sh', 'curl'],
    ['ts', 'TypeScript'],
    ['python', 'Python'],
  ] as const) {
    const labels = copied.filter((sample) => sample.language === language).map(({ label }) => label)
    expect(labels).toEqual(expect.arrayContaining(endpoints.map((endpoint) => `${endpoint}, ${name}`)))
  }
  // A guide may have the request of an endpoint too.
  const of = (language: string) =>
    copied.filter(
      (sample, index) =>
        sample.language === language && copied.findIndex(({ source }) => source === sample.source) === index,
    )
  for (const { source } of all) expect(source).not.toContain('{{')
  for (const { source } of copied) expect(source).not.toMatch(/TALLYSTICK_URL(?!=https:)|tsk_test_y1R4/)
  expect(of('sh').filter(({ source }) => source.includes(credentials.apiKey)).length).toBeGreaterThan(8)

  const broken = links.filter((link) => {
    const [path = '', id] = link.split('#')
    if (!path.startsWith('/docs')) return !/^\/(|lend|history|wallet|verify|explorer|openapi\.json)$/.test(path)
    return !places.has(path) || (id !== undefined && !places.get(path)?.includes(id))
  })
  expect(broken).toEqual([])
  expect(links.length).toBeGreaterThan(60)

  const curls = of('sh').filter(({ source }) => source.startsWith('curl '))
  const env = {
    ...{ NODE_EXTRA_CA_CERTS: credentials.caCert, SSL_CERT_FILE: credentials.caCert },
    ...{ PRIVATE_KEY: generatePrivateKey(), RPC_URL: credentials.chains[0].rpcUrl, WEBHOOK_SECRET: secret },
  }
  const programs = of('ts')
  const answers = await runCurls(curls.map(({ source }) => source))
  const failed = answers.flatMap(({ status, body }, index) =>
    status === 200 && !/^(\[|\{"data).*"errors":/s.test(body)
      ? []
      : [`${curls[index]?.source}\n${status} ${body.slice(0, 500)}`],
  )
  expect(failed).toEqual([])
  const logged = await runPrograms(
    programs.map(({ source }) => source),
    env,
  )

  for (const [index, lines] of logged.entries()) {
    const { source, label } = programs[index]!
    // A handler of requests logs nothing when it is defined.
    if (/export async function (POST|forward)/.test(source)) expect([label, lines]).toEqual([label, []])
    else expect([label, lines.join('\n').slice(0, 1_000)]).toEqual([label, expect.stringMatching(/^(?!FAILED)./)])
  }
  const linesOf = (text: string) => logged[programs.findIndex(({ source }) => source.includes(text))]?.join('\n')
  // A new account has no dollars. The transaction is simulated, not sent, and the reason is in words.
  expect(linesOf('wallet.lend(')).toMatch(/^simulate\ncall_reverted The wallet holds fewer dollars/)
  expect(linesOf('wallet.claimAll(')).toBe('0 positions claimed')
  expect(linesOf('verifyNote(note, { pool, signer })')).toMatch(/^7 days: genuine\n/)
  expect(linesOf('client.positions(wallet)')).toMatch(/Chain 324, position \d+: .* bps, (Active|Claimed)/)

  await checkPython(of('python'), env)
})

async function checkPython(samples: readonly Copied[], env: Readonly<Record<string, string>>): Promise<void> {
  if (!(await hasPython())) {
    console.warn(
      'The Python examples of /docs were not run, because there is no Python 3.9. Only their requests were read.',
    )
    for (const { source } of samples) expect(source).toMatch(/urlopen\(|^import base64/)
    return
  }
  const isStream = ({ source }: Copied) => source.includes('for line in response')
  const ending = samples.filter((sample) => !isStream(sample))
  const outputs = await runPython({ sources: ending.map(({ source }) => source), calls: webhookCalls() }, env)
  for (const [index, output] of outputs.entries()) {
    const { label, page } = ending[index]!
    expect([page, label, output.slice(0, 1_000)]).toEqual([page, label, expect.stringMatching(/^(?!FAILED)./)])
  }
  expect(outputs[ending.findIndex(({ source }) => source.includes('def is_genuine'))]).toBe('True\nFalse\n')
  const streams = samples.filter(isStream)
  expect(streams.length).toBeGreaterThan(0)
  expect(await runPythonStream(streams[0]!.source, env)).toMatch(/^: connected\n/)
}

test('behavior: the search finds an error code by keyboard and opens it', async () => {
  const { page } = await shared.visit('/docs/lend')
  await page.locator('.docs-neighbours').waitFor()
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search the documentation' })
  await expect.poll(() => isFocused(page, '.docs-search input')).toBe(true)
  await page.keyboard.type('rate_lim')
  const options = page.getByRole('listbox').getByRole('option')
  await expect.poll(() => options.first().innerText()).toMatch(/^Error\n+rate_limited/)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  expect(await options.first().getAttribute('aria-selected')).toBe('true')
  expect(await field.getAttribute('aria-activedescendant')).toBe(await options.first().getAttribute('id'))
  await shoot(page, 'docs-search')
  await page.keyboard.press('Enter')
  await page.locator('#error-rate_limited').waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/docs/errors#error-rate_limited')
  await expect.poll(() => page.title()).toBe('Errors · Docs · Tallystick')
  const top = await topOf(page, 'error-rate_limited')
  expect(top).toBeGreaterThan(50)
  expect(top).toBeLessThan(400)
  await page.keyboard.press('/')
  await page.keyboard.type('zebra <b>')
  await page.getByText('Nothing was found for “zebra <b>”.').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByText('Nothing was found').count()).toBe(0)
})

test('behavior: a request is changed and sent in place, and the key is masked and never in a URL or in storage', async () => {
  const { page, requested } = await shared.visit('/docs/notes')
  const { apiKey } = shared.credentials
  const example = page.locator('.docs-example').first()
  await example.waitFor()
  expect(await example.innerText()).toContain('tsk_test_••••••••')
  expect(await page.locator('main').innerText()).not.toContain(apiKey)
  await example.getByRole('button', { name: 'Show key' }).click()
  await expect.poll(() => example.innerText()).toContain(apiKey)
  await example.getByRole('button', { name: 'Hide key' }).click()
  await page.getByText('Try it').first().click()
  const form = page.getByRole('form', { name: 'Try GET /notes' })
  await form.getByLabel('maturity').fill('7')
  await form.getByLabel('chainid').selectOption('324')
  expect(await example.innerText()).toContain('/notes?chainid=324&maturity=7')
  await form.getByRole('button', { name: 'Send' }).click()
  const answer = page.locator('.docs-answer')
  await answer.waitFor()
  expect(await answer.innerText()).toMatch(/Status 200\s+\d+ ms/)
  expect(await answer.locator('.docs-headers').innerText()).toMatch(/x-request-id/)
  expect(await answer.locator('pre').innerText()).toContain('"chainid": "324"')
  await shoot(page, 'docs-try')
  await form.getByLabel('maturity').fill('x&chainid=1')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect.poll(() => answer.innerText()).toContain('Status 400')
  expect(await answer.locator('pre').innerText()).toContain('"code": "invalid_maturity"')
  expect(requested.filter((url) => url.includes(apiKey))).toEqual([])
  const stored = await page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage, history.state, document.cookie])',
  )
  expect(stored).not.toContain(apiKey)
  expect(await findAxeFaults(page)).toEqual([])
})

test('behavior: a stream is shown as it arrived, and Stop ends it', async () => {
  const { page } = await shared.visit('/docs/events')
  await page.getByText('Try it').first().click()
  const form = page.getByRole('form', { name: 'Try GET /events' })
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByRole('button', { name: 'Stop' }).click()
  // Stopped before or after the headers came: either there is no answer, or it has what was received.
  await expect.poll(() => form.getByRole('button', { name: 'Stop' }).count()).toBe(0)
  expect(await form.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true)
})

test('behavior: on a phone the content comes first, and the navigation is folded', async () => {
  const { page } = await shared.open({ viewport: { width: 320, height: 740 }, hasTouch: true, isMobile: true })
  await page.goto(`${shared.credentials.baseUrl}/docs/lend#2-lend`)
  await page.locator('[id="2-lend"]').waitFor()
  const nav = page.getByRole('navigation', { name: 'Documentation' })
  expect(await nav.isVisible()).toBe(false)
  await expect.poll(() => topOf(page, '2-lend')).toBeLessThan(400)
  await page.getByText('Contents: Lend').click()
  await nav.getByRole('link', { name: 'Verify a note' }).click()
  await expect.poll(() => page.locator('#docs-heading').innerText()).toBe('Verify a note')
  expect(await nav.isVisible()).toBe(false)
  await expect.poll(() => isFocused(page, '#docs-heading')).toBe(true)
  expect(await page.locator('.docs-slash').count()).toBe(0)
  await shoot(page, 'docs-phone')
  await page.context().close()
})

test('behavior: axe finds nothing on a guide, a page for operators and the results of a search', async () => {
  const { page } = await shared.visit('/docs/boundary')
  await page.locator('.docs-example').first().waitFor()
  await shoot(page, 'docs-guide')
  expect(await findAxeFaults(page, 'main')).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`${shared.credentials.baseUrl}/docs/tls`)
  await page.locator('.docs-neighbours').waitFor()
  await shoot(page, 'docs-operate')
  expect(await findAxeFaults(page, 'main')).toEqual([])
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill('kubernetes')
  await page.getByRole('listbox').getByRole('option').first().waitFor()
  expect(await findAxeFaults(page, '.docs-search')).toEqual([])
})

test('behavior: a page that does not exist says so, and axe finds nothing on the first page', async () => {
  const { page } = await shared.visit('/docs/%3Cscript%3E')
  await expect.poll(() => page.locator('#docs-heading').innerText()).toBe('There is no such page')
  await page.getByRole('link', { name: 'first page' }).click()
  await page.locator('.docs-endpoints').waitFor()
  await shoot(page, 'docs-start')
  expect(await findAxeFaults(page)).toEqual([])
  await page.goBack()
  await expect.poll(() => page.locator('#docs-heading').innerText()).toBe('There is no such page')
})

test('behavior: without a key everything can be read, and the key that is entered is in the examples', async () => {
  const { page } = await shared.open({ viewport: { width: 320, height: 740 } })
  await page.route('**/portal.json', async (route) => {
    const { visitor, ...info } = await (await route.fetch()).json()
    await route.fulfill({ json: info })
  })
  await page.goto(`${shared.credentials.baseUrl}/docs/rate`)
  const example = page.locator('.docs-example').first()
  await example.waitFor()
  expect(await page.locator('#key-panel').count()).toBe(0)
  expect(await example.innerText()).toContain('x-api-key: $TALLYSTICK_KEY')
  expect(await example.innerText()).not.toContain('--cacert')
  await page.getByText('Try it').first().click()
  expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Enter your key to send' }).click()
  await expect.poll(() => isFocused(page, '#api-key')).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('#key-panel').count()).toBe(0)
  await example.getByRole('button', { name: 'Enter your key' }).click()
  await page.keyboard.type('tsk_test_wrong')
  await page.keyboard.press('Enter')
  await page.locator('#key-fault').waitFor()
  await page.locator('#api-key').fill(shared.credentials.apiKey)
  await page.keyboard.press('Enter')
  await expect.poll(() => example.innerText()).toContain('x-api-key: tsk_test_••••')
  expect(await page.locator('#key-panel').count()).toBe(0)
  await page.context().close()
})
