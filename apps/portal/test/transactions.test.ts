// @module-tag slow

import { denylisterAbi, dollarTokenAbi } from '@tallystick/contracts'
import type { Page } from 'playwright-core'
import { type Address, createPublicClient, encodeFunctionData, http } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot, type Visit } from '../../../packages/ui/test/browser.ts'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'
import { type Credentials, startSandbox } from '../../../test/set-up/start-sandbox.ts'
import { addBrowserWallet, type BrowserWallet, request } from './browser-wallet.ts'

// The tests follow each other on one chain, which mines when a test says so.

const shared = useBrowser()
let credentials: Credentials
let rpcUrl: string
let visit: Visit
/** Wallets of the two tabs. Both have the same account. */
let wallet: BrowserWallet
let second: { readonly page: Page; readonly wallet: BrowserWallet }
let account: Address

type Sent = { readonly from: Address; readonly to: Address; readonly data: string; readonly nonce?: string }

beforeAll(async () => {
  if (!shared.browser) return undefined
  const sandbox = await startSandbox('--at', '2026-11-13T12:00:00-05:00')
  credentials = sandbox.credentials
  rpcUrl = credentials.chains[0].rpcUrl
  // It has matured positions.
  account = credentials.wallets[3]!.address
  await setMining(false)
  visit = await shared.open()
  wallet = await addBrowserWallet(visit.page, credentials)
  const page = await visit.page.context().newPage()
  second = { page, wallet: await addBrowserWallet(page, credentials) }
  answerAccounts(wallet)
  answerAccounts(second.wallet)
  return () => sandbox.stop()
})

/** Lets a wallet share the account, and answer a method in another way. */
function answerAccounts(of: BrowserWallet, other: BrowserWallet['answer'] = () => undefined) {
  of.answer = (method, params) =>
    method === 'eth_accounts' || method === 'eth_requestAccounts' ? [account] : other(method, params)
}

/** Lets the wallet ask for a method until the page is gone. Resolves to the parameters of the request. */
function holdPrompt(held: string): Promise<readonly unknown[]> {
  return new Promise((resolve) => {
    answerAccounts(wallet, (method, params) => {
      if (method !== held) return undefined
      resolve(params)
      return new Promise(() => undefined)
    })
  })
}

const mine = () => request(rpcUrl, 'evm_mine')
const setMining = (isOn: boolean) => request(rpcUrl, 'evm_setIntervalMining', isOn ? 1 : 0)
const lendButton = (page: Page) => page.getByRole('button', { name: /^Lend \$/ })
const rows = (page: Page) => page.locator('[data-sent]')
const trayButton = (page: Page) => page.getByRole('button', { name: /^\d+ (pending )?transactions?$/ })

/** Opens the list of the tray, if it is not open, and waits for the states of its transactions, newest first. */
async function expectStates(page: Page, states: readonly string[]): Promise<void> {
  await trayButton(page).waitFor()
  if ((await trayButton(page).getAttribute('aria-expanded')) === 'false') await trayButton(page).click()
  const read = async () => Promise.all((await rows(page).all()).map((row) => row.getAttribute('data-state')))
  await expect.poll(read).toEqual(states)
}

async function dismissAll(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Dismiss/ })
  for (let left = await button.count(); left > 0; left--) await button.first().click()
  await expect.poll(() => rows(page).count()).toBe(0)
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  // The wallet of the last visit reconnects.
  await page.getByText(/^You have \$/).waitFor()
}

/** Returns the transaction that waits to be mined. */
async function readWaiting(): Promise<Sent & { readonly hash: string }> {
  const { transactions } = (await request(rpcUrl, 'eth_getBlockByNumber', 'pending', true)) as {
    readonly transactions: readonly (Sent & { readonly hash: string; readonly input: string })[]
  }
  const found = transactions.find(({ from }) => from.toLowerCase() === account.toLowerCase())
  if (!found) throw new Error('Nothing waits to be mined.')
  return { ...found, data: found.input }
}

test('behavior: a reload while the wallet asks finds what the wallet sends afterwards', async () => {
  const { page } = visit
  await page.goto(`${credentials.baseUrl}/lend?chainid=324&maturity=30`)
  await page.getByRole('button', { name: /^Browser wallet/ }).click()
  await page.getByText(/^You have \$/).waitFor()
  // A signature sends nothing.
  const permit = holdPrompt('eth_signTypedData_v4')
  await page.getByRole('textbox', { name: 'Amount' }).fill('1000')
  // The reload finds it in the link.
  await page.waitForURL(/amount=1000/)
  await lendButton(page).click()
  await permit
  await page.reload()
  await expect.poll(() => lendButton(page).isEnabled()).toBe(true)
  expect(await page.getByRole('region', { name: 'Transactions' }).count()).toBe(0)
  const prompt = holdPrompt('eth_sendTransaction')
  await lendButton(page).click()
  const [transaction] = (await prompt) as [Sent]
  await trayButton(page).waitFor()
  await reload(page)
  await page.getByText('Your wallet was already asked for a lend').waitFor()
  expect(await lendButton(page).count()).toBe(0)
  await expectStates(page, ['asked'])
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'tray-asked')
  // The visitor confirms in the wallet, whose page is gone.
  answerAccounts(wallet)
  await request(rpcUrl, 'eth_sendTransaction', transaction)
  const { hash } = await readWaiting()
  await mine()
  await expectStates(page, ['confirmed'])
  expect(await rows(page).first().getAttribute('data-sent')).toBe(hash)
  await expect.poll(() => lendButton(page).isEnabled()).toBe(true)
  await dismissAll(page)
})

test('behavior: a lend that waits survives a reload and a node without receipts, in two tabs', async () => {
  const { page } = visit
  await second.page.goto(`${credentials.baseUrl}/wallet/${account}`)
  await second.page.locator('[data-token]').first().waitFor()
  const before = await second.page.locator('[data-token]').count()
  answerAccounts(wallet, (method) => (method === 'eth_getTransactionReceipt' ? null : undefined))
  answerAccounts(second.wallet, (method) => (method === 'eth_getTransactionReceipt' ? null : undefined))
  await lendButton(page).click()
  await expectStates(page, ['waiting'])
  await reload(page)
  await page.getByText('A lend of this account is pending').waitFor()
  expect(await lendButton(page).count()).toBe(0)
  await expectStates(page, ['waiting'])
  expect(await rows(page).first().innerText()).toContain('Lend $1,000.00 for 30 days')
  await shoot(page, 'tray-waiting')
  await mine()
  // Three looks without a receipt.
  const looks = () => wallet.methods.filter((method) => method === 'eth_getTransactionReceipt').length
  const seen = looks()
  await expect.poll(looks).toBeGreaterThan(seen + 2)
  await expectStates(page, ['waiting'])
  await page.getByRole('button', { name: 'Lend again anyway' }).click()
  expect(await lendButton(page).isEnabled()).toBe(true)
  await expectStates(second.page, ['waiting'])
  answerAccounts(wallet)
  answerAccounts(second.wallet)
  await page.getByRole('status').getByText('Confirmed: Lend $1,000.00 for 30 days.').waitFor()
  await expectStates(second.page, ['confirmed'])
  // The report of the second tab has the position. The index follows a chain that goes on.
  await setMining(true)
  await expect.poll(() => second.page.locator('[data-token]').count()).toBe(before + 1)
  await setMining(false)
  await shoot(second.page, 'tray-second-tab')
  await reload(page)
  await expectStates(page, ['confirmed'])
  await page.keyboard.press('Escape')
  expect(await rows(page).count()).toBe(0)
  expect(await page.evaluate('document.activeElement.className')).toContain('tray-button')
  await page.keyboard.press('Enter')
  await dismissAll(page)
  await expect.poll(() => rows(second.page).count()).toBe(0)
})

test('behavior: a lend that fails, is replaced, sped up or dropped ends with the reason', async () => {
  const { page } = visit
  const lendOnce = async () => {
    await lendButton(page).click()
    await expectStates(page, ['waiting'])
    const sent = await readWaiting()
    await reload(page)
    await expectStates(page, ['waiting'])
    return sent
  }
  // The wallet stays open while the account is denied.
  answerAccounts(wallet, async (method, [transaction]) => {
    if (method !== 'eth_sendTransaction') return undefined
    await setDenied('addToDenylist')
    return request(rpcUrl, method, { ...(transaction as Sent), gas: '0xf4240' })
  })
  await lendOnce()
  answerAccounts(wallet)
  await mine()
  await expectStates(page, ['failed'])
  expect(await rows(page).first().innerText()).toContain('denylist')
  await setDenied('removeFromDenylist')
  await dismissAll(page)
  const cancelled = await lendOnce()
  await replace(cancelled, { to: account, data: '0x' })
  await expectStates(page, ['replaced'])
  await dismissAll(page)
  const slow = await lendOnce()
  await replace(slow, slow)
  await expectStates(page, ['confirmed'])
  expect(await rows(page).first().getAttribute('data-sent')).not.toBe(slow.hash)
  await dismissAll(page)
  const { hash } = await lendOnce()
  await request(rpcUrl, 'hardhat_dropTransaction', hash)
  await expectStates(page, ['dropped'])
  await expect.poll(() => lendButton(page).isEnabled()).toBe(true)
  await shoot(page, 'tray-dropped')
  await dismissAll(page)
})

/** Sends another transaction with the nonce of one that waits, and mines it. */
async function replace({ from, nonce }: Sent, { to, data }: Pick<Sent, 'to' | 'data'>): Promise<void> {
  const maxFeePerGas = '0x2540be400'
  const transaction = { from, to, data, nonce, maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas }
  await request(rpcUrl, 'eth_sendTransaction', transaction)
  await mine()
}

/** Changes the denylist at once. */
async function setDenied(functionName: 'addToDenylist' | 'removeFromDenylist'): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { token } = credentials.chains[0]
  const to = await client.readContract({ address: token, abi: dollarTokenAbi, functionName: 'denylister' })
  const [from] = (await request(rpcUrl, 'eth_accounts')) as [Address]
  const data = encodeFunctionData({ abi: denylisterAbi, functionName, args: [account] })
  await request(rpcUrl, 'eth_sendTransaction', { from, to, data })
  await mine()
}

test('behavior: claims and approvals survive a reload, and are not offered twice', async () => {
  const { page } = visit
  // Some wallets cannot sign typed data, so that the pool must be approved.
  answerAccounts(wallet, (method) => {
    if (method === 'eth_signTypedData_v4') throw { code: 4200, message: 'not supported' }
    return undefined
  })
  await lendButton(page).click()
  await expectStates(page, ['waiting'])
  await reload(page)
  await page.getByText('An approval is pending').waitFor()
  await expectStates(page, ['waiting'])
  expect(await rows(page).first().innerText()).toContain('Approve $1,000.00 for a lend')
  await mine()
  await expectStates(page, ['confirmed'])
  await dismissAll(page)
  await page.goto(`${credentials.baseUrl}/wallet/${account}`)
  const card = page.getByRole('region', { name: /^Claim on zkSync Era/ })
  const claimAll = card.getByRole('button', { name: /^Claim all/ })
  await expect.poll(() => claimAll.isEnabled()).toBe(true)
  await claimAll.click()
  await expectStates(page, ['waiting'])
  await page.reload()
  await expectStates(page, ['waiting'])
  expect(await rows(page).first().innerText()).toContain('Approve positions #')
  await mine()
  await expectStates(page, ['confirmed'])
  await dismissAll(page)
  const prompt = holdPrompt('eth_sendTransaction')
  await expect.poll(() => claimAll.isEnabled()).toBe(true)
  await claimAll.click()
  await prompt
  await page.reload()
  await expectStates(page, ['asked'])
  await dismissAll(page)
  answerAccounts(wallet)
  await expect.poll(() => claimAll.isEnabled()).toBe(true)
  const count = Number(/\d+/.exec(await claimAll.innerText())?.[0])
  await claimAll.click()
  await expectStates(page, ['waiting'])
  await page.reload()
  await expect.poll(() => card.getByText('Being claimed').count()).toBe(count)
  expect(await claimAll.count()).toBe(0)
  await expectStates(page, ['waiting'])
  await page.setViewportSize({ width: 390, height: 800 })
  await shoot(page, 'tray-claim-phone')
  // It also checks that nothing is wider than a phone.
  expect(await findAxeFaults(page, '.tray')).toEqual([])
  await page.setViewportSize({ width: 1280, height: 900 })
  await setMining(true)
  await expectStates(page, ['confirmed'])
  await expect.poll(() => card.getByText('Being claimed').count()).toBe(0)
})

test('error: corrupt and hostile values are ignored', async () => {
  const { page } = visit
  const hostile = [
    'not json',
    'null',
    '[]',
    '{"id":"asked-1"}',
    JSON.stringify({ id: 'x', act: { kind: 'lend', principal: '<img src=x onerror=alert(1)>' } }),
    '9'.repeat(100_000),
  ]
  await page.evaluate('localStorage.clear()')
  for (const [index, value] of hostile.entries()) {
    await page.evaluate(`localStorage.setItem('tallystick-sent:${index}', ${JSON.stringify(value)})`)
  }
  await page.goto(`${credentials.baseUrl}/lend`)
  await page.getByRole('button', { name: /^Browser wallet/ }).waitFor()
  expect(await page.getByRole('region', { name: 'Transactions' }).count()).toBe(0)
})
