import { denylisterAbi, dollarTokenAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import type { Locator, Page, Route } from 'playwright-core'
import { type Address, createPublicClient, encodeFunctionData, encodePacked, http, keccak256 } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot, type Visit } from '../../../packages/ui/test/browser.ts'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'
import { type Credentials, startSandbox } from '../../../test/set-up/start-sandbox.ts'
import { documentedGas } from '../src/lend/network-fee.ts'
import { addBrowserWallet, type BrowserWallet, request } from './browser-wallet.ts'
import { readIncome } from './contract.ts'

// The tests follow each other on one chain. The last one moves its time over the boundary at 18:00.
const at = '2026-11-13T17:00:00-05:00'
const hourSeconds = 3_600

const shared = useBrowser()
let credentials: Credentials
let rpcUrl: string
let visit: Visit

beforeAll(async () => {
  if (!shared.browser) return undefined
  const sandbox = await startSandbox('--at', at)
  credentials = sandbox.credentials
  rpcUrl = credentials.chains[0].rpcUrl
  visit = await shared.open()
  return () => sandbox.stop()
})

const dialogButton = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name })
const amountField = (page: Page) => page.getByRole('textbox', { name: 'Amount' })
const lendButton = (page: Page) => page.getByRole('button', { name: /^Lend \$/ })

async function readBalance(account: Address): Promise<bigint> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { token } = credentials.chains[0]
  return client.readContract({ address: token, abi: dollarTokenAbi, functionName: 'balanceOf', args: [account] })
}

/** Sends a transaction of an account that the node signs for, and mines it. */
async function transact(transaction: { readonly from: string; readonly to: string; readonly data: string }) {
  await request(rpcUrl, 'eth_sendTransaction', transaction)
  await request(rpcUrl, 'evm_mine')
}

/** Expects that the gas of the last transaction with a selector is about the documented one. */
async function expectGas(call: keyof typeof documentedGas, selector: string, shown?: string | null): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const head = await client.getBlockNumber()
  const numbers = Array.from({ length: 30 }, (_, index) => head - BigInt(index)).filter((number) => number >= 0n)
  const blocks = await Promise.all(
    numbers.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })),
  )
  const sent = blocks.flatMap(({ transactions }) => transactions).find(({ input }) => input.startsWith(selector))
  const { gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash: sent!.hash })
  expect([call, gasUsed, documentedGas[call] >= gasUsed]).toEqual([call, gasUsed, true])
  expect(Number(documentedGas[call]) / Number(gasUsed)).toBeLessThan(1.25)
  if (!shown) return
  const estimate = Number(/about ([\d.]+) ETH/.exec(shown)?.[1])
  const charged = Number(gasUsed * effectiveGasPrice) / 1e18
  expect(estimate / charged).toBeGreaterThan(0.8)
  expect(estimate / charged).toBeLessThan(2)
}

const cent = 10n ** 16n

/** Returns the cents that the page shows. */
async function readCents(page: Page, selector: string): Promise<bigint> {
  return BigInt((await page.locator(selector).innerText()).replace(/\D/g, ''))
}

async function readFixed(
  page: Page,
): Promise<{ readonly tokenId: bigint; readonly fixed: bigint; readonly at: bigint }> {
  const done = page.locator('.lend-done')
  await done.waitFor()
  const tokenId = BigInt(/Position #(\d+)/.exec(await done.innerText())?.[1] as string)
  const fixed = BigInt((await page.locator('#lent-fixed').getAttribute('value')) as string)
  const note = await page.request.get(`${credentials.baseUrl}/notes?maturity=30`, {
    headers: { 'x-api-key': credentials.apiKey },
  })
  const { data } = (await note.json()) as { data: [{ maturity_timestamp: string }] }
  return { tokenId, fixed, at: BigInt(data[0].maturity_timestamp) }
}

test('default: a new visitor lends with the sandbox’s wallet, by clicking only', async () => {
  const { page, requested } = visit
  await page.goto(credentials.baseUrl)
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Lend' }).click()
  await page.getByRole('button', { name: /^Sandbox wallet/ }).click()
  await dialogButton(page, 'Connect').click()
  await page.getByText(/^You have \$[\d,]+\.\d\d on zkSync Era/).waitFor()
  expect(await page.locator('#lend-announcement').innerText()).toContain('to sign a permit, which costs nothing')
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'lend')
  const fee = await page.locator('#lend-network-fee').textContent()
  await lendButton(page).click()
  await page.getByRole('heading', { name: 'Sign this Permit?' }).waitFor()
  await shoot(page, 'lend-permit')
  await dialogButton(page, 'Sign').click()
  await page.getByText('permitLend').waitFor()
  const certain = await readCents(page, '#lend-fixed')
  await dialogButton(page, 'Confirm').click()
  const { tokenId, fixed, at: maturity } = await readFixed(page)
  const paid = (await readIncome(credentials, { tokenId, at: maturity })).fixed
  expect(fixed).toBe(paid)
  // Before the lend, it is what a lend pays at least that is mined soon, and afterwards exactly what this one pays.
  expect(certain).toBeLessThanOrEqual(paid / cent)
  expect(certain).toBeGreaterThan(paid / cent - 3n)
  expect(await readCents(page, '#lend-fixed')).toBe(paid / cent)
  expect(await page.locator('.lend-sums').innerText()).toMatch(/per year, certain\s/)
  await expectGas('permitLend', '0xaa121ea9', fee)
  await page.getByRole('link', { name: 'See your position' }).waitFor()
  await shoot(page, 'lend-done')
  expect(requested.filter((url) => !url.startsWith(`${credentials.baseUrl}/`))).toEqual([])
})

test('behavior: a claim that loses income needs a second decision, which names the loss', async () => {
  const { page } = visit
  await page.getByRole('link', { name: 'See your position' }).click()
  const card = claimCard(page)
  await card.locator('[data-claim]').nth(2).waitFor()
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'claim')
  // It matured today, and this UTC day is reported when it is over.
  const early = card.locator('[data-complete="false"]')
  const tokenId = (await early.getAttribute('data-claim')) as string
  const fullFrom = 'claimable in full from about 13 Nov 2026, 19:00'
  expect(await early.innerText()).toContain(fullFrom)
  expect(await page.locator(`[data-token="${tokenId}"]`).innerText()).toContain(fullFrom)
  await early.getByRole('button', { name: 'Claim early…' }).click()
  const loss = await readLoss(BigInt(tokenId))
  await page.getByRole('heading', { name: `Claim position #${tokenId} now and lose about $${loss}?` }).waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Wait')
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'claim-early')
  await early.getByRole('button', { name: 'Wait' }).click()
  expect(await early.locator('.early-claim').count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
  const account = credentials.wallets[3]!.address
  const shown = await readValue(early.locator('data'))
  const before = await readBalance(account)
  await early.getByRole('button', { name: 'Claim early…' }).click()
  await early.getByRole('button', { name: `Claim now and lose about $${loss}` }).click()
  await dialogButton(page, 'Sign').click()
  // The page cannot look the wallet up again. What was claimed stays on the page.
  const refuse = (route: Route) =>
    route.fulfill({ status: 400, json: { message: 'Refused.', code: 'invalid_request' } })
  await page.route('**/data', refuse)
  await dialogButton(page, 'Confirm').click()
  await page.getByText('The report below is the last one.').waitFor()
  expect(await page.getByText(`Claimed #${tokenId}`).count()).toBe(1)
  await page.unroute('**/data', refuse)
  expect((await readBalance(account)) - before).toBe(shown)
  expect(await readValue(page.locator('#claim-paid'))).toBe(shown)
})

test('behavior: complete positions are claimed at once, and pay to the cent what was shown', async () => {
  const { page } = visit
  const account = credentials.wallets[3]!.address
  const card = claimCard(page)
  await expect.poll(() => card.locator('[data-claim]').count()).toBe(2)
  const tokenId = (await card.locator('[data-claim]').first().getAttribute('data-claim')) as string
  const total = await readValue(page.locator('#claim-total'))
  const before = await readBalance(account)
  await card.getByRole('button', { name: 'Claim all 2' }).click()
  await confirmClaims(page)
  await expect.poll(() => card.locator('[data-claim]').count()).toBe(0)
  expect((await readBalance(account)) - before).toBe(total)
  expect(await page.locator(`[data-token="${tokenId}"]`).innerText()).toContain('Claimed')
  await shoot(page, 'claimed')
  await page.goBack()
})

const claimCard = (page: Page) => page.getByRole('region', { name: /^Claim on zkSync Era/ })

/** Returns the dollars, rounded up, that a position earns on the day of its maturity at the rate of the last reported day. */
async function readLoss(tokenId: bigint): Promise<string> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { pool, positions } = credentials.chains[0]
  const [reads, token] = [
    { address: pool, abi: poolAbi } as const,
    { address: positions, abi: positionTokenAbi } as const,
  ]
  const lastDay = await client.readContract({ ...reads, functionName: 'lastFloatingIncomeUpdateDay' })
  const [last, earlier, terms] = await Promise.all([
    client.readContract({ ...reads, functionName: 'accFloatingIncome', args: [lastDay] }),
    client.readContract({ ...reads, functionName: 'accFloatingIncome', args: [lastDay - 1n] }),
    client.readContract({ ...token, functionName: 'getLendInfo', args: [tokenId] }),
  ])
  const seconds = terms.maturityTimestamp - (lastDay + 1n) * 86_400n
  const income = ((last - earlier) * terms.principal * seconds) / 10n ** 25n
  const cents = ((income * (10_000n - terms.partnerFeeBPS)) / 10_000n + 10n ** 16n - 1n) / 10n ** 16n
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
}

async function readValue(data: Locator): Promise<bigint> {
  return BigInt((await data.getAttribute('value')) as string)
}

/** Confirms every request of the sandbox's wallet until the claim of two positions is mined. */
async function confirmClaims(page: Page): Promise<void> {
  const isDone = async () => {
    const button = dialogButton(page, 'Confirm')
    if (await button.isVisible()) await button.click()
    return page.getByText(/^Claimed #\d+, #\d+$/).count()
  }
  await expect.poll(isDone).toBe(1)
}

test('behavior: a rejection sends nothing, and the form rejects hostile and unaffordable amounts', async () => {
  const { page } = visit
  await page.getByRole('button', { name: 'Lend more' }).click()
  for (const [text, fault] of [
    ['999.99', 'The least amount is $1,000.00.'],
    ['1e9', 'Enter dollars, such as'],
    ['<img src=x onerror=alert(1)>', 'Enter dollars, such as'],
    ['99999999999', 'This account has $'],
  ] as const) {
    await amountField(page).fill(text)
    await expect.poll(() => page.locator('#lend-amount-hint').innerText()).toContain(fault)
    expect(await page.locator('.lend-button').isDisabled()).toBe(true)
  }
  await amountField(page).fill('2,500.50')
  await lendButton(page).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('You declined in the wallet').waitFor()
})

test('behavior: a lend that a reorganisation removes is reported, and can be repeated', { tags: 'slow' }, async () => {
  const { page } = visit
  const snapshot = await request(rpcUrl, 'evm_snapshot')
  await lendButton(page).click()
  await dialogButton(page, 'Sign').click()
  await dialogButton(page, 'Confirm').click()
  await page.getByText('You lent $2,500.50').waitFor()
  await request(rpcUrl, 'evm_revert', snapshot)
  await page.getByText('The chain was reorganised').waitFor()
  await page.getByText('Your dollars are in your wallet.').waitFor()
  await page.getByRole('button', { name: 'Lend again' }).click()
  expect(await lendButton(page).isEnabled()).toBe(true)
})

test('behavior: a wallet in window.ethereum adds the network, approves, lends, and is explained when it fails', {
  tags: 'slow',
}, async () => {
  const { page } = await shared.open()
  const wallet = await addBrowserWallet(page, credentials)
  const account = credentials.wallets[5]!.address
  let chainId = '0x1'
  let isAdded = false
  wallet.answer = (method, params) => {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account]
    if (method === 'eth_chainId') return chainId
    // Some wallets cannot sign typed data, so that the pool must be approved.
    if (method === 'eth_signTypedData_v4') throw { code: 4200, message: 'not supported' }
    if (method === 'wallet_addEthereumChain') {
      isAdded = (params[0] as { rpcUrls: string[] }).rpcUrls[0] === rpcUrl
      return null
    }
    if (method !== 'wallet_switchEthereumChain') return undefined
    if (!isAdded) throw { code: 4902, message: 'unknown chain' }
    chainId = (params[0] as { chainId: string }).chainId
    return null
  }
  const [, , , , , , , , , partnerOwner] = (await request(rpcUrl, 'eth_accounts')) as Address[]
  const partner = keccak256(encodePacked(['address', 'uint256'], [partnerOwner as Address, 0n]))
  await page.goto(`${credentials.baseUrl}/lend?chainid=324&maturity=30&partner=${partner}`)
  await page.getByRole('button', { name: /^Browser wallet/ }).click()
  await page.getByRole('button', { name: 'Switch your wallet to zkSync Era (sandbox)' }).click()
  await amountField(page).fill('1000')
  const before = await readBalance(account)
  await lendButton(page).click()
  const { tokenId, fixed, at: maturity } = await readFixed(page)
  expect((await readIncome(credentials, { tokenId, at: maturity })).fixed).toBe(fixed)
  expect(before - (await readBalance(account))).toBe(1_000n * 10n ** 18n)
  await expect.poll(() => page.locator('.lend-sums').innerText()).toContain('5.00% of the income')
  expect(await page.locator('#lend-fee').innerText()).toMatch(/^−\$0\.\d\d$/)
  await expectGas('approve', '0x095ea7b3')
  await expectGas('lend', '0x1949f17e')
  expect(wallet.methods.filter((method) => method === 'eth_sendTransaction')).toHaveLength(2)
  await explainFailures(page, { wallet, account })
  await page.context().close()
})

/** Lends with a wallet that is on the denylist, has no coins, is busy, and never answers. */
async function explainFailures(page: Page, { wallet, account }: { wallet: BrowserWallet; account: Address }) {
  const basic = wallet.answer
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { token } = credentials.chains[0]
  const denylister = await client.readContract({ address: token, abi: dollarTokenAbi, functionName: 'denylister' })
  const [admin] = (await request(rpcUrl, 'eth_accounts')) as [Address]
  const setDenied = (functionName: 'addToDenylist' | 'removeFromDenylist') =>
    transact({
      from: admin,
      to: denylister,
      data: encodeFunctionData({ abi: denylisterAbi, functionName, args: [account] }),
    })
  await page.getByRole('button', { name: 'Lend more' }).click()
  await setDenied('addToDenylist')
  await lendButton(page).click()
  await page.getByText('The account is on the denylist').waitFor()
  await setDenied('removeFromDenylist')
  for (const [error, title] of [
    [{ code: -32002, message: 'pending' }, 'The wallet already asks you something'],
    [{ code: -32000, message: 'insufficient funds for gas' }, 'Not enough coins for the network fee'],
    [{ code: 4100, message: 'locked' }, 'The wallet is locked'],
  ] as const) {
    wallet.answer = (method, params) => {
      if (method === 'eth_sendTransaction') throw error
      return basic(method, params)
    }
    await lendButton(page).click()
    await page.getByText(title).waitFor()
  }
  let confirm: (hash: string) => void = () => undefined
  const asked = new Promise<void>((resolve) => {
    wallet.answer = (method, params) => {
      if (method !== 'eth_sendTransaction') return basic(method, params)
      resolve()
      return new Promise<string>((done) => (confirm = done))
    }
  })
  await lendButton(page).click()
  await asked
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  await page.getByText('The page stopped waiting').waitFor()
  // It was asked for the approval, which lends nothing.
  await page.getByText('An approval is pending').waitFor()
  expect(await lendButton(page).isEnabled()).toBe(true)
  confirm(`0x${'ab'.repeat(32)}`)
  await page.getByText('You confirmed the lend in the wallet.').waitFor()
  await checkBeforeAgain(page)
  // The wallet sends the transaction, and its answer is lost.
  wallet.answer = async (method, params) => {
    if (method !== 'eth_sendTransaction') return basic(method, params)
    await request(rpcUrl, method, ...params)
    throw { code: -32603, message: '502 Bad Gateway' }
  }
  await lendButton(page).click()
  await page.getByText('The result of the transaction is not known yet').waitFor()
  await checkBeforeAgain(page)
  wallet.answer = basic
}

/** Expects that the page does not offer the lend until the visitor says so. */
async function checkBeforeAgain(page: Page): Promise<void> {
  const again = page.getByRole('button', { name: 'Lend again' })
  await again.waitFor()
  expect(await lendButton(page).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Check your positions' }).getAttribute('href')).toMatch(/^\/wallet\/0x/)
  await again.click()
  // While a lend may still be mined, the page warns once more.
  const anyway = page.getByRole('button', { name: 'Lend again anyway' })
  await lendButton(page).or(anyway).waitFor()
  if ((await anyway.count()) > 0) await anyway.click()
  await expect.poll(() => lendButton(page).isEnabled()).toBe(true)
}

test('behavior: a note that expires while the wallet is open is replaced, and the visitor is asked again', {
  tags: 'slow',
}, async () => {
  const { page } = visit
  await lendButton(page).click()
  await page.getByRole('heading', { name: 'Sign this Permit?' }).waitFor()
  await request(rpcUrl, 'evm_increaseTime', hourSeconds + 5)
  await request(rpcUrl, 'evm_mine')
  // The page has the new notes while the wallet still shows the old ones.
  await page.getByText('Reject the request in the wallet.').waitFor()
  await dialogButton(page, 'Sign').click()
  await page.getByText('The note expired while your wallet was open').waitFor()
  await page.getByText(/^Nothing was lent\. The new note pays \d+\.\d\d%/).waitFor()
  const before = await readBalance(credentials.wallets[3]!.address)
  await lendButton(page).click()
  await dialogButton(page, 'Sign').click()
  await dialogButton(page, 'Confirm').click()
  await page.getByText('You lent $2,500.50').waitFor()
  expect(before - (await readBalance(credentials.wallets[3]!.address))).toBe(2_500_500_000_000_000_000_000n)
})

/** Moves the sandbox's time to an instant, and opens the page again, which then knows that time. */
async function moveTime(page: Page, instant: string): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  await request(rpcUrl, 'evm_increaseTime', Date.parse(instant) / 1000 - Number(timestamp))
  await request(rpcUrl, 'evm_mine')
  // The service's clock follows that of the chain.
  const readTime = async () =>
    Date.parse((await page.request.get(`${credentials.baseUrl}/portal.json`)).headers()['date']!)
  await expect.poll(readTime).toBeGreaterThanOrEqual(Date.parse(instant))
  await page.reload()
  await page.getByText(/^You have \$[\d,]+\.\d\d on zkSync Era/).waitFor()
}

test('behavior: terms are counted down, withheld at their end, and replaced at midnight', {
  tags: 'slow',
}, async () => {
  const { page } = visit
  const timer = page.getByRole('timer', { name: 'Time left for these terms' })
  await moveTime(page, '2026-11-13T23:55:05-05:00')
  expect(await page.locator('#terms-until').innerText()).toBe('14 Nov 2026, 00:00 New York')
  expect(await timer.innerText()).toMatch(/^04:\d\d$/)
  expect(await lendButton(page).isEnabled()).toBe(true)
  expect(await findAxeFaults(page)).toEqual([])
  await shoot(page, 'lend-terms')
  await moveTime(page, '2026-11-13T23:59:35-05:00')
  await page.getByText('This note will probably expire before a transaction is mined.').waitFor()
  expect(await lendButton(page).isDisabled()).toBe(true)
  await amountField(page).fill('1,234.50')
  await page.getByRole('radio', { name: /^7 days/ }).check()
  await shoot(page, 'lend-terms-ending')
  await request(rpcUrl, 'evm_increaseTime', 30)
  await request(rpcUrl, 'evm_mine')
  await page.getByText(/^The last note expired\. 7 days pay \d\.\d\d% per year, as before\.$/).waitFor()
  expect(await page.locator('#terms-until').innerText()).toBe('14 Nov 2026, 18:00 New York')
  expect(await timer.count()).toBe(0)
  await expect.poll(() => lendButton(page).innerText()).toBe('Lend $1,234.50 for 7 days')
  expect(await lendButton(page).isEnabled()).toBe(true)
  await shoot(page, 'lend-terms-new')
  await page.getByRole('radio', { name: /^14 days/ }).check()
  await expect.poll(() => page.getByText('New terms').count()).toBe(0)
})
