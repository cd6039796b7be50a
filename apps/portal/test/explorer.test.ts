// @module-tag slow

import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { shoot } from '../../../packages/ui/test/browser.ts'
import { useSharedPage } from '../../../packages/ui/test/shared-page.ts'
import { root } from '../../../test/set-up/start-sandbox.ts'

const shared = useSharedPage()

const chains = [324, 8453]
const queryEditor = (page: Page) => page.getByRole('textbox', { name: 'GraphQL query' })
const resultOf = (page: Page, chain: number) =>
  page.getByRole('textbox', { name: `Result of chain ${chain}, as JSON` }).innerText()
const shownBody = (page: Page) => page.locator('.request-body').innerText()

async function enter(page: Page, query: string): Promise<void> {
  await queryEditor(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(query)
}

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('.run-facts').waitFor()
}

/** Answers queries without the service. */
async function answerData(page: Page, body: unknown): Promise<void> {
  await page.route('**/data', (route) => route.fulfill({ json: body }))
}

test('behavior: an answer is shown as it was received, also integers above 2^53', async () => {
  const { page } = await shared.visit('/explorer')
  const answer = (chain: number) => `{"chain": ${chain}, "data": {"wei": 9007199254740993, "rate": 1.0}}`
  const body = `[${chains.map(answer).join(' ,')}]`
  await page.route('**/data', (route) => route.fulfill({ contentType: 'application/json', body }))
  await run(page)
  for (const chain of chains) {
    const text = `{\n  "chain": ${chain},\n  "data": {\n    "wei": 9007199254740993,\n    "rate": 1.0\n  }\n}`
    await expect.poll(() => resultOf(page, chain)).toBe(text)
  }
})

test('default: the request is sent exactly as it is shown, and each chain has its own result with block and lag', async () => {
  const { page } = await shared.visit('/')
  await page.getByRole('link', { name: 'Explorer' }).click()
  await page.locator('.request-body').waitFor()
  const shown = await page.getByRole('region', { name: 'Request as it is sent' }).innerText()
  const [sent] = await Promise.all([page.waitForRequest((each) => each.url().endsWith('/data')), run(page)])
  const { accept, 'content-type': type, 'x-api-key': key } = await sent.allHeaders()
  const lines = [`POST ${sent.url()}`, 'x-api-key: (your key)', `accept: ${accept}`, `content-type: ${type}`]
  expect(shown.split('\n\n')[0]).toBe(lines.join('\n'))
  expect(await shownBody(page)).toBe(sent.postData())
  expect(key).toBe(shared.credentials.apiKey)
  expect(JSON.parse(await shownBody(page)).variables.chains).toEqual(chains)
  expect(await page.locator('.run-facts').innerText()).toMatch(
    /^\d+ ms · chain 324 at block [\d,]+, \d+ s old · chain 8453 at block [\d,]+, \d+ s old$/,
  )
  for (const chain of chains) await expect.poll(() => resultOf(page, chain)).toContain('"positionInfos"')
  expect(await resultOf(page, 324)).toContain(shared.credentials.wallets[0]!.address.toLowerCase())
  const [left, right] = await page.locator('.result-columns > .pane').all()
  const [first, second] = [await left!.boundingBox(), await right!.boundingBox()]
  expect([first!.y === second!.y, first!.x + first!.width < second!.x]).toEqual([true, true])
  await shoot(page, 'explorer')
  await page.setViewportSize({ width: 320, height: 740 })
  expect((await right!.boundingBox())!.y).toBeGreaterThan((await left!.boundingBox())!.y + 100)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await page.setViewportSize({ width: 1280, height: 900 })
})

test('behavior: completes from the schema, shows why a query is rejected, and runs by keyboard', async () => {
  const { page } = await shared.visit('/explorer')
  await queryEditor(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('{ floatingInc')
  const option = page.getByRole('option', { name: /^floatingIncomes/ })
  await expect
    .poll(async () => {
      if ((await option.count()) === 0) await page.keyboard.press('Control+Space')
      return option.count()
    })
    .toBe(1)
  await shoot(page, 'explorer-completion')
  await enter(page, '{ floatingIncomes(first: 1) { day } }')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => resultOf(page, 8453)).toMatch(/"day": \d+/)
  await enter(page, '{ nonsense }')
  await page.keyboard.press('Control+Enter')
  await page.getByText('The query was rejected').waitFor()
  await page
    .getByText(/nonsense/)
    .first()
    .waitFor()
  await shoot(page, 'explorer-rejected')
})

test('behavior: the copied curl command and SDK code run, with the key only if the visitor wants that', async () => {
  const { page } = await shared.visit('/explorer')
  const { apiKey, baseUrl, caCert } = shared.credentials
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copy = async (name: string, message: string) => {
    await page.getByRole('button', { name }).click()
    await page.getByRole('status').getByText(message).waitFor()
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  await enter(page, `query P($p: Bytes!) { pools(where: { id_not: $p }) { id paused } } # it's "$HOME"`)
  const variables = page.getByRole('textbox', { name: 'Variables, as JSON' })
  await variables.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('{ "p": "0x00" }')
  await run(page)
  const expected = JSON.parse(await resultOf(page, 8453)).data.pools
  expect(expected).toHaveLength(1)

  const curl = await copy('Copy as curl', 'Copied the curl command.')
  expect(curl).not.toContain(apiKey)
  // A shell reads the command, but prints what curl would be given.
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${curl}`
  const env = { TALLYSTICK_KEY: apiKey, PATH: process.env['PATH'] ?? '', HOME: '/' }
  const given = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env }).split('\0')
  expect(given.slice(0, 3)).toEqual([`${baseUrl}/data`, '--cacert', caCert])
  const headers = Object.fromEntries(
    given.flatMap((text, index) => (given[index - 1] === '-H' ? [text.split(': ') as [string, string]] : [])),
  )
  expect(headers).toMatchObject({ 'x-api-key': apiKey })
  const answer = await page.request.post(given[0]!, { headers, data: given[given.indexOf('-d') + 1] })
  expect((await answer.json())[1]).toMatchObject({ chain: 8453, data: { pools: expected } })

  await page.getByLabel('with my key').check()
  expect(await copy('Copy as curl', 'Copied the curl command.')).toContain(`x-api-key: ${apiKey}`)
  await page.getByLabel('with my key').uncheck()
  const code = await copy('Copy as SDK code', 'Copied the SDK code.')
  expect(code).not.toContain(apiKey)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env: { ...env, NODE_EXTRA_CA_CERTS: caCert },
  })
  expect(stdout).toMatch(new RegExp(`8453 \\{\\s*pools: \\[[^]*${expected[0].id}`))
  expect(await copy('Copy link', 'Copied the link.')).toMatch(/\/explorer\?query=query\+P/)
})

test('behavior: fields of the schema are found and inserted by keyboard', async () => {
  const { page } = await shared.visit('/explorer')
  await page.getByRole('button', { name: 'Schema' }).press('Enter')
  await enter(page, '')
  await page.getByRole('button', { name: 'Insert pools into the query' }).press('Enter')
  await page.getByRole('status').getByText('Inserted pools.').waitFor()
  const search = page.getByLabel('Search the schema')
  await search.fill('maxCoupon')
  await page.getByRole('button', { name: 'Insert maxCouponLimit into the query' }).press('Enter')
  await expect
    .poll(() => shownBody(page))
    .toContain(String.raw`"query":"{\n  pools {\n    id\n    maxCouponLimit\n  }\n}"`)
  await run(page)
  await expect.poll(() => resultOf(page, 324)).toMatch(/"maxCouponLimit": "\d+"/)
  await page.getByRole('button', { name: 'Pool.maxCouponLimit', exact: true }).press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Pool type')
  await page.getByRole('navigation', { name: 'Types above' }).getByRole('button', { name: 'Query' }).press('Enter')
  await page.getByText('arguments of positionInfos', { exact: false }).first().click()
  await page.getByRole('button', { name: 'PositionInfo_filter' }).first().click()
  await page.getByRole('heading', { name: 'PositionInfo_filter input' }).waitFor()
  await search.fill('activePositions')
  await page.getByRole('button', { name: 'Insert activePositions into the query' }).first().press('Enter')
  await page.getByText('selects nothing of type Account yet').waitFor()
  await shoot(page, 'explorer-schema')
})

test('behavior: what was run is listed after a reload, without results and keys, and can be forgotten', async () => {
  const { page } = await shared.visit('/explorer')
  await enter(page, `query WithKey { pools(where: { id: "${shared.credentials.apiKey}" }) { id } }`)
  await page.getByText('The query is too long for a link, or has a key in it.').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await enter(page, 'query Totals { protocolDays(first: 1) { day } }')
  await page.getByRole('checkbox', { name: 'zkSync Era' }).uncheck()
  await run(page)
  await expect.poll(() => page.url()).toContain('chains=8453')
  await page.goto(`${shared.credentials.baseUrl}/explorer`)
  await page.getByRole('button', { name: 'History', exact: true }).click()
  const entry = page.locator('.past-queries button')
  expect(await entry.allInnerTexts()).toEqual([expect.stringMatching(/^Totals\n.*chain 8453$/)])
  const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage]) + document.cookie')
  expect(stored).not.toMatch(/tsk_|"day\\?":/)
  await entry.click()
  await expect.poll(() => queryEditor(page).innerText()).toContain('query Totals')
  expect(await page.getByRole('checkbox', { name: 'zkSync Era' }).isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Forget all' }).click()
  await page.getByText('Queries that you run are listed here').waitFor()
  expect(await page.evaluate('localStorage.length')).toBe(0)
})

test('behavior: a link opens its query as text, and runs nothing; the URL follows what is entered, never the key', async () => {
  const hostile = '{ pools { id } } # <img src=x onerror=alert(1)>'
  const search = new URLSearchParams({ query: hostile, variables: '{"a": "</script>"}', chains: '8453,1' })
  const { page, requested } = await shared.visit(`/explorer?${search}`)
  await expect.poll(() => queryEditor(page).innerText()).toBe(hostile)
  await page.getByText('The link names a chain that this service cannot query.').waitFor()
  expect(JSON.parse(await shownBody(page))).toEqual({
    query: hostile,
    variables: { a: '</script>', chains: [8453] },
  })
  expect(await page.locator('.explorer img').count()).toBe(0)
  expect(await page.locator('.run-facts').count()).toBe(0)
  await enter(page, '{ pools { paused } }')
  await expect.poll(() => new URL(page.url()).searchParams.get('query')).toBe('{ pools { paused } }')
  await page.reload()
  await expect.poll(() => queryEditor(page).innerText()).toBe('{ pools { paused } }')
  await enter(page, `# ${shared.credentials.apiKey}`)
  await expect.poll(() => page.url()).toBe(`${shared.credentials.baseUrl}/explorer`)
  expect(requested.some((url) => url.includes('tsk_'))).toBe(false)
})

test('behavior: one chain can be queried as plain GraphQL, and one of several operations', async () => {
  const { page } = await shared.visit('/explorer')
  await enter(page, 'query A { pools { id } } query B { pools { paused } }')
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('B')
  expect(await page.getByRole('group', { name: 'Endpoint' }).count()).toBe(0)
  await page.getByRole('checkbox', { name: 'zkSync Era' }).uncheck()
  await page.getByRole('radio', { name: '/data/8453' }).check()
  const [sent] = await Promise.all([page.waitForRequest((each) => each.url().endsWith('/data/8453')), run(page)])
  expect(await shownBody(page)).toBe(sent.postData())
  expect(sent.postDataJSON()).toMatchObject({ operationName: 'B' })
  expect(sent.postDataJSON().variables).not.toHaveProperty('chains')
  expect(JSON.parse(await resultOf(page, 8453))).toEqual({ data: { pools: [{ paused: expect.any(Boolean) }] } })
  expect(await page.locator('.run-facts').innerText()).toMatch(/^\d+ ms · chain 8453 at block [\d,]+, \d+ s old$/)
  await enter(page, '{ nonsense }')
  await run(page)
  await page.getByText('No data from Base').waitFor()
  expect(await resultOf(page, 8453)).toContain('"extensions"')
})

test('error: each chain has its own error, and faulty input is not sent', async () => {
  const { page } = await shared.visit('/explorer')
  await answerData(page, [
    { chain: 324, data: { pools: [] }, errors: [{ message: 'One row is missing.', code: 'upstream_failed' }] },
    { chain: 8453, data: null, errors: [{ message: '<b>Late</b>', code: 'upstream_timeout' }] },
  ])
  await run(page)
  const columns = page.locator('.result-columns > .pane')
  expect(await columns.first().innerText()).toMatch(/Part of the data from zkSync Era.*\n.*One row is missing\./)
  expect(await columns.last().innerText()).toMatch(/No data from Base.*\n.*<b>Late<\/b> upstream_timeout/)
  await shoot(page, 'explorer-chain-error')
  let sentCount = 0
  page.on('request', (request) => {
    // The editor fetches the schema by itself, on a slow machine only now.
    const isOfEditor = request.postData()?.includes('query IntrospectionQuery') ?? false
    if (request.url().endsWith('/data') && !isOfEditor) sentCount++
  })
  await page.getByRole('textbox', { name: 'Variables, as JSON' }).click()
  await page.keyboard.insertText(',')
  await page.getByText('The variables are not a JSON object.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('alert').getByText('The request was not sent').waitFor()
  expect(sentCount).toBe(0)
})
