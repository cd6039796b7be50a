import { expect, test } from 'vitest'
import { discoverWallets } from './discover-wallets.ts'
import { announceTestWallet, createTestWallet, type WalletPrompt } from './test-wallet.ts'

const address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

function createWorld({ isConfirmed = true, answer = { result: '0x1' } as object } = {}) {
  const prompts: WalletPrompt[] = []
  const posted: { path: string; body: { method: string } }[] = []
  const values = new Map<string, string>()
  const wallet = createTestWallet({
    info: { address, rpcPath: '/sandbox/wallet' },
    chains: [
      { id: 324, name: 'zkSync Era' },
      { id: 8453, name: 'Base' },
    ],
    confirm: async (prompt) => {
      prompts.push(prompt)
      return isConfirmed
    },
    post: async (path, body) => {
      posted.push({ path, body: JSON.parse(body) })
      return answer
    },
    storage: {
      getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => void values.set(key, value),
      removeItem: (key) => void values.delete(key),
    },
  })
  const request = (method: string, params: unknown = []) => wallet.request({ method, params })
  return { wallet, prompts, posted, request }
}

test('default: asks before it shares its account, signs or sends, and reads without a question', async () => {
  const { request, prompts, posted } = createWorld()
  expect(await request('eth_accounts')).toEqual([])
  expect(await request('eth_requestAccounts')).toEqual([address])
  expect(await request('eth_accounts')).toEqual([address])
  await request('eth_sendTransaction', [{ from: address, to: '0xpool', data: '0xaa121ea9ff' }])
  const typedData = JSON.stringify({ primaryType: 'Permit', message: { spender: '0xpool', value: '5' } })
  await request('eth_signTypedData_v4', [address, typedData])
  await request('eth_call', [{}])
  expect(prompts.map(({ title }) => title)).toEqual([
    ...['Connect to this page?', 'Send this transaction?', 'Sign this Permit?'],
  ])
  expect(prompts[1]?.facts).toContainEqual(['Function', 'permitLend'])
  expect(prompts[2]?.facts).toContainEqual(['value', '5'])
  expect(posted.map(({ path, body }) => `${path} ${body.method}`)).toEqual([
    '/sandbox/wallet/324 eth_sendTransaction',
    '/sandbox/wallet/324 eth_signTypedData_v4',
    '/sandbox/wallet/324 eth_call',
  ])
})

test('behavior: switches between the chains of the sandbox, and knows no other', async () => {
  const { wallet, request, posted } = createWorld()
  const changes: unknown[] = []
  wallet.on?.('chainChanged', (chainId) => changes.push(chainId))
  await expect(request('wallet_switchEthereumChain', [{ chainId: '0x1' }])).rejects.toMatchObject({ code: 4902 })
  await request('wallet_switchEthereumChain', [{ chainId: '0x2105' }])
  expect([await request('eth_chainId'), changes]).toEqual(['0x2105', ['0x2105']])
  await request('eth_blockNumber')
  expect(posted[0]?.path).toBe('/sandbox/wallet/8453')
})

test('error: a rejection has the code of EIP-1193, and an error of the chain keeps its data', async () => {
  const rejecting = createWorld({ isConfirmed: false })
  for (const method of ['eth_requestAccounts', 'eth_sendTransaction'])
    await expect(rejecting.request(method, [{}])).rejects.toMatchObject({ code: 4001 })
  expect(rejecting.posted).toEqual([])
  const failing = createWorld({ answer: { error: { code: 3, message: 'execution reverted', data: '0xd93c0665' } } })
  await expect(failing.request('eth_call')).rejects.toMatchObject({ code: 3, data: '0xd93c0665' })
})

test('default: is found like any other wallet, in either order', () => {
  const target = new EventTarget()
  const names: string[][] = []
  announceTestWallet(target, createWorld().wallet)
  discoverWallets(target, (wallets) => names.push(wallets.map(({ name }) => name)))
  expect(names.at(-1)).toEqual(['Sandbox wallet'])
})
