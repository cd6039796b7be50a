import { expect, test } from 'vitest'
import { startConnector } from './connector.ts'
import { createFakeProvider } from './provider/fake-provider.ts'
import type { BrowserWallet } from './provider/provider.ts'

const account = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

function createWorld(handlers: Parameters<typeof createFakeProvider>[0] = {}, stored?: string) {
  const fake = createFakeProvider({
    eth_requestAccounts: () => [account],
    eth_accounts: () => [account],
    eth_chainId: () => '0x144',
    ...handlers,
  })
  const values = new Map<string, string>(stored === undefined ? [] : [['tallystick-wallet', stored]])
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
  const connector = startConnector(Object.assign(new EventTarget(), { ethereum: fake.provider }), storage)
  const wallet = () => connector.get().wallets[0] as BrowserWallet
  return { ...fake, connector, values, wallet }
}

test('default: connects, follows account and chain, and forgets the wallet when the visitor disconnects', async () => {
  const { connector, wallet, emit, values, methods, listenerCount } = createWorld()
  const seen: number[] = []
  connector.subscribe(() => seen.push(connector.get().connection?.chainId ?? 0))
  await connector.connect(wallet())
  expect(connector.get().connection).toMatchObject({ account, chainId: 324 })
  expect([...values]).toEqual([['tallystick-wallet', 'injected']])
  emit('chainChanged', '0x2105')
  emit('accountsChanged', [other])
  expect(connector.get().connection).toMatchObject({ account: other, chainId: 8453 })
  expect(seen).toContain(8453)
  connector.disconnect()
  expect(connector.get().connection).toBeUndefined()
  expect(values.size + listenerCount()).toBe(0)
  expect(methods()).toContain('wallet_revokePermissions')
  emit('accountsChanged', [account])
  expect(connector.get().connection).toBeUndefined()
})

test('behavior: the wallet of the last visit is connected without a question, if it still shares its account', async () => {
  const { connector, methods } = createWorld({}, 'injected')
  await expect.poll(() => connector.get().connection?.account).toBe(account)
  expect(methods()).not.toContain('eth_requestAccounts')
  const locked = createWorld({ eth_accounts: () => [] }, 'injected')
  await expect.poll(locked.methods).toContain('eth_chainId')
  expect(locked.connector.get()).toMatchObject({ connection: undefined, error: undefined })
})

test('behavior: a wallet that does not announce its switch is known to be on the new chain', async () => {
  let chainId = '0x144'
  const { connector, wallet } = createWorld({
    eth_chainId: () => chainId,
    wallet_switchEthereumChain: () => {
      chainId = '0x2105'
      return null
    },
  })
  const base = { id: 8453, name: 'Base', publicRpc: [], currency: 'ETH' }
  await connector.switchTo(base)
  expect(chainId).toBe('0x144')
  await connector.connect(wallet())
  await connector.switchTo(base)
  expect(connector.get().connection?.chainId).toBe(8453)
})

test('behavior: the wallet around the page is connected by itself, whatever the last visit used', async () => {
  const { connector, values } = createWorld({}, 'injected')
  await expect.poll(() => connector.get().connection?.account).toBe(account)
  const { provider } = createFakeProvider({ eth_requestAccounts: () => [other], eth_chainId: () => '0x2105' })
  connector.adopt({ id: 'safe', name: 'Safe', icon: undefined, provider, hasOwners: true })
  await expect.poll(() => connector.get().connection?.account).toBe(other)
  expect(connector.get().wallets.map(({ id }) => id)).toEqual(['safe', 'injected'])
  expect([...values]).toEqual([['tallystick-wallet', 'safe']])
})

test('behavior: a locked wallet and one that disconnects end the connection, a lost node does not', async () => {
  const { connector, wallet, emit } = createWorld()
  await connector.connect(wallet())
  emit('disconnect', { code: 1013 })
  expect(connector.get().connection).toBeDefined()
  emit('accountsChanged', [])
  expect(connector.get()).toMatchObject({ connection: undefined, error: { fault: 'locked' } })
  await connector.connect(wallet())
  expect(connector.get().error).toBeUndefined()
  emit('disconnect', { code: 4900 })
  expect(connector.get()).toMatchObject({ connection: undefined, error: { fault: 'disconnected' } })
})

test.each([[[]], [null], ['0x'], [['0x12']], [[7]]])('error: accounts %j are no accounts', async (accounts) => {
  const { connector, wallet } = createWorld({ eth_requestAccounts: () => accounts })
  await connector.connect(wallet())
  expect(connector.get()).toMatchObject({ connection: undefined, pending: undefined, error: { fault: 'locked' } })
})

test('error: a rejection is reported, and one that comes after a cancellation is not', async () => {
  const { connector, wallet, handlers } = createWorld({
    eth_requestAccounts: () => Promise.reject({ code: 4001, message: 'no' }),
  })
  await connector.connect(wallet())
  expect(connector.get()).toMatchObject({ pending: undefined, error: { code: 4001 } })
  let answer: (accounts: string[]) => void = () => undefined
  handlers['eth_requestAccounts'] = () => new Promise((resolve) => (answer = resolve))
  const connecting = connector.connect(wallet())
  expect(connector.get().pending?.id).toBe('injected')
  connector.cancel()
  answer([account])
  await connecting
  expect(connector.get()).toMatchObject({ connection: undefined, pending: undefined, error: undefined })
})
