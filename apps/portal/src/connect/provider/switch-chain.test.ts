import { expect, test } from 'vitest'
import { createFakeProvider } from './fake-provider.ts'
import { switchChain } from './switch-chain.ts'

const chain = {
  id: 8453,
  name: 'Base',
  publicRpc: ['https://rpc.example'],
  currency: 'ETH',
  explorer: 'https://x.example',
}
const unknownChain = { code: 4902, message: 'Unrecognized chain ID' }

const idOf = ([chain]: readonly unknown[]) => Number((chain as { chainId: string }).chainId)

/** Creates a wallet on chain 324 that knows the given chains. */
function createWallet(known: readonly number[], thrown: object = unknownChain) {
  const chains = new Set(known)
  let current = 324
  return createFakeProvider({
    eth_chainId: () => `0x${current.toString(16)}`,
    wallet_switchEthereumChain: (params) => {
      if (!chains.has(idOf(params))) throw thrown
      current = idOf(params)
      return null
    },
    wallet_addEthereumChain: (params) => {
      chains.add(idOf(params))
      return null
    },
  })
}

test('default: asks only if the wallet is on another chain', async () => {
  const { provider, methods } = createWallet([324, 8453])
  await switchChain(provider, { ...chain, id: 324 })
  expect(methods()).toEqual(['eth_chainId'])
  await switchChain(provider, chain)
  expect(methods()).toEqual(['eth_chainId', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId'])
})

test.each([
  ['MetaMask', unknownChain],
  ['its mobile app', { code: -32603, message: 'Internal', data: { originalError: unknownChain } }],
])('behavior: a chain that %s does not know is added with its public RPC, then switched to', async (_, thrown) => {
  const { provider, calls } = createWallet([324], thrown)
  await switchChain(provider, chain)
  expect(calls.find(({ method }) => method === 'wallet_addEthereumChain')?.params).toEqual([
    {
      chainId: '0x2105',
      chainName: 'Base',
      rpcUrls: ['https://rpc.example'],
      nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
      blockExplorerUrls: ['https://x.example'],
    },
  ])
})

test('error: without a public RPC the visitor is told to add the chain', async () => {
  const { provider, methods } = createWallet([324])
  await expect(switchChain(provider, { ...chain, publicRpc: [] })).rejects.toThrow('does not know Base (chain 8453)')
  expect(methods()).not.toContain('wallet_addEthereumChain')
})

test('error: a rejection is passed on, and a wallet that stays where it is is named', async () => {
  const { provider, handlers, methods } = createWallet([324], { code: 4001, message: 'no' })
  await expect(switchChain(provider, chain)).rejects.toMatchObject({ code: 4001 })
  expect(methods()).not.toContain('wallet_addEthereumChain')
  handlers['wallet_switchEthereumChain'] = () => null
  await expect(switchChain(provider, chain)).rejects.toThrow('did not switch to Base')
})
