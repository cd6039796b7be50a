import { expect, test } from 'vitest'
import { discoverWallets, testWalletRdns, type WalletWindow } from './discover-wallets.ts'
import type { BrowserWallet } from './provider.ts'

const provider = () => ({ request: async () => null })
const icon = 'data:image/svg+xml,<svg/>'

function createWindow(ethereum?: unknown) {
  const target = Object.assign(new EventTarget(), { ethereum }) as WalletWindow
  let wallets: readonly BrowserWallet[] = []
  discoverWallets(target, (found) => {
    wallets = found
  })
  const announce = (detail: unknown) => target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  return { target, announce, names: () => wallets.map(({ name }) => name), wallets: () => wallets }
}

test('default: lists announced wallets once each, with name and icon, and asks for announcements', () => {
  const requests: string[] = []
  const target = new EventTarget()
  target.addEventListener('eip6963:requestProvider', ({ type }) => requests.push(type))
  discoverWallets(target, () => undefined)
  expect(requests).toHaveLength(1)
  const { announce, wallets } = createWindow()
  const detail = { info: { uuid: 'a', name: ' One ', icon, rdns: 'one.example' }, provider: provider() }
  announce(detail)
  announce(detail)
  announce({ info: { uuid: 'b', name: 'Two', icon: 'https://two.example/icon.png' }, provider: provider() })
  expect(wallets()).toMatchObject([
    { id: 'one.example:One', name: 'One', icon },
    { id: 'b', name: 'Two', icon: undefined },
  ])
})

test('behavior: window.ethereum is listed if no extension announced itself', () => {
  const ethereum = provider()
  const { announce, names } = createWindow(ethereum)
  expect(names()).toEqual(['Browser wallet'])
  announce({ info: { uuid: 's', name: 'Sandbox wallet', rdns: testWalletRdns }, provider: provider() })
  expect(names()).toEqual(['Sandbox wallet', 'Browser wallet'])
  announce({ info: { uuid: 'a', name: 'One', rdns: 'one.example' }, provider: ethereum })
  expect(names()).toEqual(['Sandbox wallet', 'One'])
})

test.each([
  null,
  'text',
  {},
  { info: null, provider: provider() },
  { info: { uuid: 'a', name: 'One' } },
  { info: { uuid: 'a', name: 'One' }, provider: { request: 'no' } },
  { info: { uuid: 'a', name: '   ' }, provider: provider() },
  { info: { uuid: 7, name: 'One' }, provider: provider() },
  { info: { uuid: 'a', name: ['One'] }, provider: provider() },
])('error: the announcement %j is ignored', (detail) => {
  const { announce, names } = createWindow()
  announce(detail)
  expect(names()).toEqual([])
})

test.each([
  'https://elsewhere.example/icon.png',
  'data:text/html,<script>alert(1)</script>',
  'javascript:alert(1)',
  'DATA:image/png;base64,AA',
  `data:image/png;base64,${'A'.repeat(300_000)}`,
  7,
])('error: an icon that is no small image is left out', (bad) => {
  const { announce, wallets } = createWindow()
  announce({ info: { uuid: 'a', name: 'x'.repeat(500), icon: bad }, provider: provider() })
  expect(wallets()[0]).toMatchObject({ icon: undefined, name: 'x'.repeat(40) })
})

test('error: a flood of announcements is bounded', () => {
  const { announce, names } = createWindow()
  for (let index = 0; index < 1_000; index++)
    announce({ info: { uuid: `${index}`, name: `W${index}` }, provider: provider() })
  expect(names()).toHaveLength(20)
})
