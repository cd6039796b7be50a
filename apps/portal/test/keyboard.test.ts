// @module-tag slow

import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'
import { type Credentials, startSandbox } from '../../../test/set-up/start-sandbox.ts'
import { addBrowserWallet } from './browser-wallet.ts'

// Keys only: no test here clicks, and none moves the focus by code.
const shared = useBrowser()
let credentials: Credentials

beforeAll(async () => {
  if (!shared.browser) return undefined
  const sandbox = await startSandbox('--at', '2026-11-13T17:00:00-05:00')
  credentials = sandbox.credentials
  return () => sandbox.stop()
})

const describeActive = `(() => {
  const { tagName, id, textContent, labels } = document.activeElement
  const name = labels?.[0]?.textContent ?? textContent
  return [tagName.toLowerCase() + (id && '#' + id), name.replace(/\\s+/g, ' ').trim().slice(0, 200)].join(' ')
})()`

/** Returns the element that has the focus: its name in the document, its id and its text. */
async function readActive(page: Page): Promise<string> {
  return page.evaluate<string>(describeActive)
}

async function expectActive(page: Page, pattern: RegExp): Promise<void> {
  await expect.poll(() => readActive(page)).toMatch(pattern)
}

/** Presses a key that moves the focus until it is on an element. The focus is never lost on the way. */
async function moveTo(page: Page, pattern: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  do {
    await page.keyboard.press(key)
    passed.push(await readActive(page))
  } while (!pattern.test(passed.at(-1) as string) && passed.length < 90)
  expect(passed.at(-1), passed.join('\n')).toMatch(pattern)
  expect(passed.filter((name) => name.startsWith('body'))).toEqual([])
}

const press = (page: Page, key: string) => page.keyboard.press(key)

/** Waits for a request of the sandbox's wallet, which has the focus, and answers it. */
async function answer(page: Page, title: RegExp, key: 'Enter' | 'Escape'): Promise<void> {
  await page.getByRole('dialog').getByRole('heading', { name: title }).waitFor()
  await expectActive(page, /^button (Connect|Sign|Confirm|Switch)$/)
  await press(page, key)
}

let page: Page

test('default: a visitor connects, is asked again after a rejection, and lends', async () => {
  page = (await shared.open()).page
  await page.goto(credentials.baseUrl)
  await page.locator('.notch').last().waitFor()
  await press(page, 'Tab')
  await expectActive(page, /^button Skip to content$/)
  await moveTo(page, /^a Lend$/)
  await press(page, 'Enter')
  await expectActive(page, /^h1#lend-heading/)
  await page.locator('.wallet-choice').waitFor()

  await moveTo(page, /^button Sandbox wallet/)
  await press(page, 'Enter')
  await answer(page, /^Connect to this page/, 'Escape')
  await expectActive(page, /^button Sandbox wallet/)
  await page.getByText('You declined in the wallet').waitFor()
  await press(page, 'Space')
  await answer(page, /^Connect to this page/, 'Enter')
  await expectActive(page, /^div .*Sandbox wallet.*Disconnect$/)

  await page.getByText(/^You have \$[\d,]+\.\d\d on zkSync Era/).waitFor()
  await moveTo(page, /^input#lend-amount/)
  await press(page, 'Control+A')
  await page.keyboard.type('2500')
  await press(page, 'Tab')
  await expectActive(page, /^button Max$/)
  await press(page, 'Tab')
  await expectActive(page, /^input 30 days/)
  await press(page, 'ArrowRight')
  await expectActive(page, /^input 60 days/)
  await press(page, 'Tab')
  await expectActive(page, /^button Lend \$2,500\.00 for 60 days$/)
  await press(page, 'Enter')
  await answer(page, /^Sign this Permit/, 'Escape')
  await expectActive(page, /^button Lend \$2,500\.00 for 60 days$/)
  await page.getByText('You declined in the wallet').waitFor()
  await press(page, 'Enter')
  await answer(page, /^Sign this Permit/, 'Enter')
  await answer(page, /transaction/i, 'Enter')
  await expectActive(page, /^div You lent \$2,500\.00/)
})

test('default: the visitor claims, early or in full, and lends more', async () => {
  await page.getByRole('link', { name: 'See your position' }).waitFor()
  await expectActive(page, /^div You lent \$2,500\.00/)
  await moveTo(page, /^a See your position$/)
  await press(page, 'Enter')
  await expectActive(page, /^h1#wallet-heading/)
  await page.locator('[data-claim]').nth(2).waitFor()

  await moveTo(page, /^button Claim early… position/)
  for (const key of ['Escape', 'Enter']) {
    await press(page, 'Enter')
    await expectActive(page, /^button Wait$/)
    await press(page, key)
    await expectActive(page, /^button Claim early… position/)
  }
  await press(page, 'Space')
  await moveTo(page, /^button Claim now and lose about/)
  await press(page, 'Enter')
  await answer(page, /^Sign this Permit/, 'Escape')
  await expectActive(page, /^button Claim early… position/)

  await moveTo(page, /^button Claim position \d+$/, await findDirection(page))
  const claim = new RegExp(`^${await readActive(page)}$`)
  await press(page, 'Enter')
  await answer(page, /^Sign this Permit/, 'Escape')
  await expectActive(page, claim)
  await press(page, 'Enter')
  await answer(page, /^Sign this Permit/, 'Enter')
  await answer(page, /transaction/i, 'Enter')
  await expectActive(page, /^div Claimed #\d+/)
  // The list is read again, without the position.
  await expect.poll(() => page.locator('[data-claim]').count()).toBe(2)
  await expectActive(page, /^div Claimed #\d+/)

  await moveTo(page, /^a Lend$/, 'Shift+Tab')
  await press(page, 'Enter')
  await expectActive(page, /^h1#lend-heading/)
  await moveTo(page, /^button Lend more$/)
  await press(page, 'Enter')
  await expectActive(page, /^input#lend-amount/)
  await moveTo(page, /^button Disconnect$/, 'Shift+Tab')
  await press(page, 'Enter')
  await expectActive(page, /^button Sandbox wallet/)
})

/** Returns the key that leads from a row of the list to a claim in full: the row that pays less may be the last one. */
async function findDirection(of: Page): Promise<'Tab' | 'Shift+Tab'> {
  return (await of.locator('[data-claim]').last().getAttribute('data-complete')) === 'false' ? 'Shift+Tab' : 'Tab'
}

test('behavior: the focus follows a switch of the network, a failure, and the end of waiting', async () => {
  const other = (await shared.open()).page
  const wallet = await addBrowserWallet(other, credentials)
  let chainId = '0x1'
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => chainId,
    // Less than the network fee.
    eth_getBalance: () => '0x5af3107a4000',
    wallet_switchEthereumChain: ([wanted]) => {
      chainId = (wanted as { chainId: string }).chainId
      return null
    },
    eth_signTypedData_v4: () => Promise.reject({ code: 4200, message: 'not supported' }),
    eth_sendTransaction: () => Promise.reject({ code: -32002, message: 'pending' }),
  }
  wallet.answer = (method, params) => answers[method]?.(params)
  await other.goto(`${credentials.baseUrl}/lend`)
  await other.locator('.wallet-choice').first().waitFor()
  await moveTo(other, /^button BBrowser wallet/)
  let allow: (accounts: readonly unknown[]) => void = () => undefined
  const basic = wallet.answer
  wallet.answer = (method, params) =>
    method === 'eth_requestAccounts' ? new Promise((resolve) => (allow = resolve)) : basic(method, params)
  await press(other, 'Enter')
  await expectActive(other, /^div .*Waiting for Browser wallet/)
  await moveTo(other, /^button Cancel$/)
  await press(other, 'Enter')
  await expectActive(other, /^button BBrowser wallet/)
  await press(other, 'Enter')
  await expectActive(other, /^div .*Waiting for Browser wallet/)
  await expect.poll(() => wallet.methods.filter((method) => method === 'eth_requestAccounts').length).toBe(2)
  allow([credentials.wallets[5]!.address])
  await expectActive(other, /^div .*Browser wallet.*Disconnect$/)
  await moveTo(other, /^button Switch your wallet to zkSync Era/)
  await press(other, 'Enter')
  await expectActive(other, /^button Lend \$10,000\.00/)
  // Too few coins are a warning, not a reason.
  await other.getByText('This account has 0.0001 ETH, which may not pay the network fee.').waitFor()
  await expect.poll(() => other.locator('.lend-button').isEnabled()).toBe(true)
  await press(other, 'Enter')
  await expectActive(other, /^div The wallet already asks you something/)
  wallet.answer = (method, params) =>
    method === 'eth_sendTransaction' ? new Promise(() => undefined) : answers[method]?.(params)
  await moveTo(other, /^button Lend \$10,000\.00/, 'Shift+Tab')
  await press(other, 'Enter')
  await other.getByRole('button', { name: 'Stop waiting' }).waitFor()
  await expectActive(other, /^div .*Approve the amount in your wallet/)
  await moveTo(other, /^button Stop waiting$/)
  await press(other, 'Enter')
  await expectActive(other, /^div The page stopped waiting/)
  await other.context().close()
})
