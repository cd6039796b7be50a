// @module-tag slow

import { dollarTokenAbi, positionTokenAbi } from '@tallystick/contracts'
import { type Address, createPublicClient, encodeFunctionData, type Hash, http } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { findAxeFaults } from '../../../packages/ui/test/axe.ts'
import { shoot, type Visit } from '../../../packages/ui/test/browser.ts'
import { useBrowser } from '../../../packages/ui/test/use-browser.ts'
import { deployOwnersWallet, type OwnersWallet } from '../../../test/set-up/owners-wallet.ts'
import { type Credentials, startSandbox } from '../../../test/set-up/start-sandbox.ts'
import { request } from './browser-wallet.ts'
import { controlSafe, type SafeControl, type SafeServer, startSafeServer } from './safe-frame.ts'

// A Safe of two owners shows the page in a frame. The tests follow each other on one chain.
const at = '2026-11-13T17:00:00-05:00'
const hourSeconds = 3_600
const dollars = (amount: number) => BigInt(amount) * 10n ** 18n

const shared = useBrowser()
let credentials: Credentials
let rpcUrl: string
let safeServer: SafeServer
let otherServer: SafeServer
let wallet: OwnersWallet
let control: SafeControl
let visit: Visit
/** Lender with matured positions. */
let lender: Address

beforeAll(async () => {
  if (!shared.browser) return undefined
  ;[safeServer, otherServer] = await Promise.all([startSafeServer(), startSafeServer()])
  const sandbox = await startSandbox('--at', at, '--frame-ancestor', safeServer.origin)
  credentials = sandbox.credentials
  const [{ token }] = credentials.chains
  rpcUrl = credentials.chains[0].rpcUrl
  const owners = credentials.wallets.slice(0, 2).map(({ address }) => address) as [Address, Address]
  lender = credentials.wallets[3]!.address
  wallet = await deployOwnersWallet((method, params) => request(rpcUrl, method, ...params), owners)
  const args = [wallet.address, dollars(10_000)] as const
  await transact(owners[0], token, encodeFunctionData({ abi: dollarTokenAbi, functionName: 'transfer', args }))
  visit = await shared.open()
  control = await controlSafe(visit.page, { wallet, rpcUrl, chainId: 324 })
  await openApp('/lend?chainid=324&maturity=30')
  return async () => {
    await sandbox.stop()
    await Promise.all([safeServer.stop(), otherServer.stop()])
  }
})

/** Opens a path of the page in the frame of the Safe. */
async function openApp(path: string, server = safeServer): Promise<void> {
  await visit.page.goto(`${server.origin}/?app=${encodeURIComponent(credentials.baseUrl + path)}`)
}

const app = () => visit.page.frameLocator('iframe')
const lendButton = () => app().getByRole('button', { name: /^Lend \$/ })
const lastProposed = () => control.proposed.at(-1) as Hash

/** Sends a transaction of an account that the node signs for, and mines it. */
async function transact(from: Address, to: Address, data: string): Promise<void> {
  await request(rpcUrl, 'eth_sendTransaction', { from, to, data })
  await request(rpcUrl, 'evm_mine')
}

function ownerOf(tokenId: bigint): Promise<Address> {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const { positions } = credentials.chains[0]
  return client.readContract({ address: positions, abi: positionTokenAbi, functionName: 'ownerOf', args: [tokenId] })
}

test('default: the Safe is connected by itself, and two signatures lend in one transaction', async () => {
  await app()
    .getByText(/^You have \$10,000\.00 on zkSync Era/)
    .waitFor()
  expect(await app().locator('.wallet-connected').innerText()).toContain('Safe')
  expect(await app().locator('#lend-announcement').innerText()).toMatch(/^Your wallet asks once: for one transaction/)
  await app().getByRole('textbox', { name: 'Amount' }).fill('2,500.50')
  await lendButton().click()
  await app().getByText('Waiting for the owners’ signatures (1 of 2).').waitFor()
  await app()
    .getByText(/^They have to sign and execute it before/)
    .waitFor()
  expect(wallet.callsOf(lastProposed())).toHaveLength(2)
  await shoot(visit.page, 'safe-waiting')
  await wallet.confirm(lastProposed())
  await app().getByText('Enough owners have signed (2 of 2).').waitFor()
  await wallet.execute(lastProposed())
  await app().getByText('You lent $2,500.50').waitFor()
  const done = await app().locator('.lend-done').innerText()
  expect(await ownerOf(BigInt(/Position #(\d+)/.exec(done)?.[1] as string))).toBe(wallet.address)
  await app().getByRole('link', { name: 'See your position' }).waitFor()
  await shoot(visit.page, 'safe-lent')
  await app().getByRole('link', { name: 'See your position' }).click()
  await app().locator('[data-token]').first().waitFor()
  // Every message had the exact origin of the Safe, or the browser would not have delivered it.
  expect(new Set(control.methods)).toEqual(new Set(['getSafeInfo', 'rpcCall', 'sendTransactions', 'getTxBySafeTxHash']))
})

test('error: what an owner declines, or the owners reject later, ends clearly', async () => {
  await app().getByRole('link', { name: 'Lend', exact: true }).click()
  await app().getByRole('button', { name: 'Lend more' }).click()
  control.declines = true
  await lendButton().click()
  await app().getByText('You declined in the wallet').waitFor()
  control.declines = false
  await lendButton().click()
  await app().getByText('Waiting for the owners’ signatures (1 of 2).').waitFor()
  await app()
    .getByRole('region', { name: 'Transactions' })
    .getByRole('button', { name: /pending/ })
    .click()
  await app().locator('.tray [data-state="signing"]').getByText('Needs signatures').waitFor()
  await wallet.cancel()
  await app().getByText('The transaction was cancelled or replaced in the wallet').waitFor()
  await app().getByText('Nothing was sent.').waitFor()
  await app().locator('.tray [data-state="cancelled"]').waitFor()
  expect(await lendButton().isEnabled()).toBe(true)
})

test('error: hostile messages change nothing', async () => {
  const evil = `0x${'ee'.repeat(20)}`
  // From another window of the Safe's own origin, and from the Safe's window with ids that were answered or never sent.
  await visit.page.evaluate(`(async () => {
    const target = document.querySelector('iframe').contentWindow
    const origin = new URL(document.querySelector('iframe').src).origin
    const ids = window.seen.map(({ id }) => id)
    const messages = [...ids.slice(-50), 'unknown', '', 7].flatMap((id) => [
      { id, success: true, data: { safeAddress: '${evil}', chainId: 1 }, version: '9.1.0' },
      { id, success: false, error: 'x'.repeat(100000) },
    ])
    const hostile = [...messages, null, 7, 'text', [], { method: 'getSafeInfo' }, { id: ids[0], data: 'y'.repeat(3000000) }]
    for (const message of hostile) target.postMessage(message, origin)
    const sibling = document.createElement('iframe')
    sibling.srcdoc = '<script>addEventListener("message", ({ data }) => { for (const one of data.hostile) parent.frames[0].postMessage(one, data.origin); parent.done = true })<' + '/script>'
    document.body.append(sibling)
    await new Promise((resolve) => sibling.addEventListener('load', resolve))
    sibling.contentWindow.postMessage({ hostile, origin }, '*')
    while (!window.done) await new Promise((resolve) => setTimeout(resolve, 20))
    sibling.remove()
  })()`)
  await app()
    .getByText(/^You have \$[\d,.]+ on zkSync Era/)
    .waitFor()
  expect(await app().locator('.wallet-connected').innerText()).not.toContain(evil.slice(0, 6))
  expect(await lendButton().isEnabled()).toBe(true)
})

test('default: two signatures claim a position that the Safe holds', async () => {
  const [tokenId] = (await listActive(lender)) as [bigint]
  const args = [lender, wallet.address, tokenId] as const
  const data = encodeFunctionData({ abi: positionTokenAbi, functionName: 'transferFrom', args })
  await transact(lender, credentials.chains[0].positions, data)
  await expect.poll(() => listActive(wallet.address)).toContain(tokenId)
  await openApp(`/wallet/${wallet.address}`)
  const card = app().getByRole('region', { name: /^Claim on zkSync Era/ })
  await card.getByText('The Safe approves and claims in one transaction').waitFor()
  await card
    .locator(`[data-claim="${tokenId}"]`)
    .getByRole('button', { name: /^Claim/ })
    .first()
    .click()
  await app().getByText('Waiting for the owners’ signatures (1 of 2).').waitFor()
  await shoot(visit.page, 'safe-claim')
  expect(wallet.callsOf(lastProposed())).toHaveLength(2)
  await wallet.confirm(lastProposed())
  await wallet.execute(lastProposed())
  await app().getByText(`Claimed #${tokenId}`).waitFor()
})

/** Returns the active positions of an account, the first that matures first. */
async function listActive(owner: Address): Promise<readonly bigint[]> {
  const where = `{ currentOwner: "${owner.toLowerCase()}", status: "Active" }`
  const answer = await visit.page.request.post(`${credentials.baseUrl}/data`, {
    headers: { 'x-api-key': credentials.apiKey },
    data: {
      query: `{ positionInfos(where: ${where}, orderBy: maturityTimestamp) { id } }`,
      variables: { chains: [324] },
    },
  })
  const [{ data }] = (await answer.json()) as [{ data: { positionInfos: readonly { id: string }[] } }]
  return data.positionInfos.map(({ id }) => BigInt(id))
}

test('error: a note that expires before both have signed is not lent, and the new terms are shown', async () => {
  await app().getByRole('link', { name: 'Lend', exact: true }).click()
  await lendButton().click()
  await app().getByText('Waiting for the owners’ signatures (1 of 2).').waitFor()
  await request(rpcUrl, 'evm_increaseTime', hourSeconds + 5)
  await request(rpcUrl, 'evm_mine')
  await app().getByText('The Safe cannot execute this transaction any more.').waitFor()
  // The Safe may learn late of a transaction, so that the page waits a little longer.
  await request(rpcUrl, 'evm_increaseTime', 120)
  await request(rpcUrl, 'evm_mine')
  await app().getByText('Nothing was lent.').waitFor()
  await wallet.confirm(lastProposed())
  await expect(wallet.execute(lastProposed())).rejects.toThrow('revert')
})

test('error: a page of another origin cannot show it, and gets no message', async () => {
  // The page before asks the Safe for the outcome of its transactions.
  await visit.page.goto('about:blank')
  const before = control.methods.length
  const blocked = visit.page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
  await openApp('/lend', otherServer)
  await blocked
  expect(visit.page.frames().map((frame) => frame.url())).not.toContain(`${credentials.baseUrl}/lend`)
  expect(control.methods).toHaveLength(before)
})

test('behavior: outside of a frame there is no Safe, and a phone without a wallet opens the page in one', async () => {
  const phone = await shared.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { page } = phone
  // A sandbox adds its own wallet.
  await page.route('**/portal.json', async (route) => {
    const response = await route.fetch()
    const { visitor, ...info } = (await response.json()) as { visitor: { wallet: unknown } }
    const { wallet: _, ...rest } = visitor
    await route.fulfill({ response, json: { ...info, visitor: rest } })
  })
  await page.goto(`${credentials.baseUrl}/lend?chainid=324&maturity=30`)
  await page.getByText('Open this page in the browser of your wallet').waitFor()
  const shown = await page.locator('.wallet-list a').all()
  const links = await Promise.all(shown.map((link) => link.getAttribute('href')))
  const { host } = new URL(credentials.baseUrl)
  expect(links[0]).toBe(`https://link.metamask.io/dapp/${host}/lend?chainid=324&maturity=30`)
  expect(links).toHaveLength(3)
  expect(links.join()).not.toContain(credentials.apiKey)
  await shoot(page, 'lend-phone-no-wallet')
  expect(await findAxeFaults(page)).toEqual([])
  await page.context().close()
})
