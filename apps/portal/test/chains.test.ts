import { poolAbi } from '@tallystick/contracts'
import { testAccounts } from '@tallystick/workbench/dev-chain/test-accounts'
import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData } from 'viem'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openVisit, shoot, type Visit } from './browser.ts'
import { launchBrowser } from './launch-browser.ts'
import { type ChainCredentials, type Credentials, startSandbox } from './start-sandbox.ts'
import { startService } from './start-service.ts'

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

describe('the second chain in another state', () => {
  const [admin] = testAccounts[0] as readonly [string, string]

  /** Sends a transaction to the second pool. The sandbox mines it in its next block. */
  async function administer(functionName: string, args: readonly unknown[]): Promise<void> {
    const { rpcUrl, pool } = credentials.chains[1] as ChainCredentials
    const data = encodeFunctionData({ abi: poolAbi, functionName, args } as never)
    const transaction = { from: admin, to: pool, data, gas: '0x100000' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [transaction] })
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(await answer.json()).toHaveProperty('result')
  }

  const sideOf = (page: Page, { name }: { readonly name: string }) =>
    page.locator('.board-side .card', { has: page.getByRole('heading', { name }) })

  async function choose(page: Page, chain: { readonly name: string }): Promise<void> {
    await page.getByRole('radio', { name: chain.name }).check()
  }

  /** Waits for the service's status of the second chain, which the page reads only every 20 seconds. */
  async function waitForStatus(service: { readonly baseUrl: string; readonly apiKey: string }, reason: RegExp) {
    const { request } = desktop.page
    const read = async () => {
      const headers = { 'x-api-key': service.apiKey }
      const { chains } = await (await request.get(`${service.baseUrl}/rate`, { headers })).json()
      return chains[1].statusReason
    }
    await expect.poll(read, { timeout: 60_000, interval: 500 }).toMatch(reason)
  }

  test('error: a pause, a lowered limit and another signer are shown with their reasons', async () => {
    await administer('setMaxCouponLimit', [300n])
    await administer('setVerifierSigner', ['0x000000000000000000000000000000000000dEaD'])
    await administer('pause', [])
    await waitForStatus(credentials, /paused.*another signer.*limits/)
    const page = await visit('/')
    await choose(page, second)
    const side = sideOf(page, second)
    await expect.poll(() => side.innerText()).toMatch(/Pool paused\s[\s\S]*The pool is paused\./)
    expect(await side.innerText()).toMatch(/accepts notes of another signer only[\s\S]*limits/)
    await page.getByText('No notes are on offer.').waitFor()
    await shoot(page, 'second-chain-paused')
    await choose(page, first)
    await expectShown(page, first)
    await administer('unpause', [])
    await administer('setMaxCouponLimit', [1000n])
    await administer('setVerifierSigner', [credentials.chains[1]?.signer])
  }, 150_000)

  test('error: a chain without RPC has the status of its index, and one without a subgraph has rates but no data', async () => {
    const [one, two] = credentials.chains.map(({ id, pool }) => ({ id, name: `chain ${id}`, pool }))
    const urls = [credentials.chains[1]?.subgraphUrl]
    const service = await startService(credentials, [
      { ...one, rpc: [credentials.chains[0].rpcUrl] },
      { ...two, subgraph: { urls } },
    ])
    onTestFinished(service.stop)
    await waitForStatus(service, /Its index says/)
    await desktop.reset()
    const { page } = desktop
    await page.goto(service.baseUrl)
    await page.locator('#api-key').fill(service.apiKey)
    await page.keyboard.press('Enter')
    await page.getByText('No notes are on offer.').waitFor()
    await expect.poll(() => sideOf(page, { name: 'chain 324' }).innerText()).toMatch(/Pool open[\s\S]*block \d/)
    await choose(page, { name: 'chain 8453' })
    // The index is at the time of the sandbox, which is not today.
    await expect
      .poll(() => sideOf(page, { name: 'chain 8453' }).innerText())
      .toMatch(/Pool state unknown[\s\S]*No RPC is configured for this chain\. Its index says/)
    await shoot(page, 'second-chain-without-rpc')
    await page.goto(`${service.baseUrl}/#/wallet`)
    await page.getByLabel('Address').fill('0x000000000000000000000000000000000000dEaD')
    await page.keyboard.press('Enter')
    await page.getByText('No positions').waitFor()
  }, 150_000)
})
