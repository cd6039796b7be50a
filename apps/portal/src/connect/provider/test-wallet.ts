import type { PortalChain, TestWalletInfo } from '@tallystick/core'
import type { QuietStorage } from '@tallystick/ui'
import { testWalletRdns } from './discover-wallets.ts'
import type { Provider } from './provider.ts'

/** Request that the visitor has to confirm. */
export type WalletPrompt = {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly confirmLabel: string
}

export type TestWalletParts = {
  readonly info: TestWalletInfo
  readonly chains: readonly Pick<PortalChain, 'id' | 'name'>[]
  /** Asks the visitor. Resolves to whether the visitor confirmed. */
  readonly confirm: (prompt: WalletPrompt) => Promise<boolean>
  /** Sends JSON-RPC to the sandbox. */
  readonly post: (path: string, body: string) => Promise<unknown>
  readonly storage: QuietStorage
}

const storageKey = 'tallystick-test-wallet'
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%238a4b16'/%3E%3Cpath d='M7 11h18v12H7z' fill='%23fffaf3'/%3E%3Cpath d='M19 15h6v4h-6z' fill='%238a4b16'/%3E%3Cpath d='M7 11l12-4v4' fill='%23e3a45e'/%3E%3C/svg%3E"

/** Announces the sandbox's wallet like an extension announces its own (EIP-6963). */
export function announceTestWallet(target: EventTarget, provider: Provider): void {
  const info = { uuid: '5ee1f6a5-5c8f-4f0a-9d8c-3d3bb5d4a001', name: 'Sandbox wallet', icon, rdns: testWalletRdns }
  const detail = Object.freeze({ info: Object.freeze(info), provider })
  const announce = () => target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  target.addEventListener('eip6963:requestProvider', announce)
  announce()
}

/** Creates the provider of the sandbox's wallet. The sandbox signs, after the visitor confirmed here. */
export function createTestWallet({ info, chains, confirm, post, storage }: TestWalletParts): Provider {
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  let chain = chains[0] as TestWalletParts['chains'][number]
  let sent = 0
  const emit = (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value)
  }
  const forward = async (method: string, params: unknown) => {
    sent += 1
    const body = JSON.stringify({ jsonrpc: '2.0', id: sent, method, params: params ?? [] })
    const { result, error } = (await post(`${info.rpcPath}/${chain.id}`, body)) as RpcAnswer
    if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data })
    return result
  }
  const ask = async (prompt: WalletPrompt) => {
    const facts = [['Network', chain.name], ['Account', info.address], ...prompt.facts] as const
    if (!(await confirm({ ...prompt, facts }))) throw createError(4001, 'The visitor declined.')
  }
  const isAllowed = () => storage.getItem(storageKey) === 'allowed'
  const handlers: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>> = {
    eth_accounts: async () => (isAllowed() ? [info.address] : []),
    eth_requestAccounts: async () => {
      if (!isAllowed()) await ask({ title: 'Connect to this page?', facts: [], confirmLabel: 'Connect' })
      storage.setItem(storageKey, 'allowed')
      return [info.address]
    },
    eth_chainId: async () => toHex(chain.id),
    wallet_switchEthereumChain: async ([wanted]) => {
      const { chainId } = (wanted ?? {}) as { readonly chainId?: unknown }
      const next = chains.find(({ id }) => toHex(id) === chainId)
      if (!next) throw createError(4902, 'The sandbox has no such chain.')
      await ask({ title: 'Switch the network?', facts: [['To', next.name]], confirmLabel: 'Switch' })
      chain = next
      emit('chainChanged', toHex(chain.id))
      return null
    },
    wallet_revokePermissions: async () => {
      storage.removeItem(storageKey)
      emit('accountsChanged', [])
      return null
    },
    eth_sendTransaction: async (params) => {
      await ask(describeTransaction(params[0]))
      return forward('eth_sendTransaction', params)
    },
    eth_signTypedData_v4: async (params) => {
      await ask(describeTypedData(params[1]))
      return forward('eth_signTypedData_v4', params)
    },
  }
  return {
    request: async ({ method, params }) => {
      const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined
      return handler ? handler(Array.isArray(params) ? params : []) : forward(method, params)
    },
    on: (event, listener) => listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    removeListener: (event, listener) => listeners.get(event)?.delete(listener),
  }
}

type RpcAnswer = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

// Names by selector, for the dialog. Wallets read them from public lists.
const functionNames: Readonly<Record<string, string>> = {
  '0x1949f17e': 'lend',
  '0xaa121ea9': 'permitLend',
  '0xaad3ec96': 'claim',
  '0x79f67c5a': 'batchClaim',
  '0x9d2d3586': 'permitClaim',
  '0x095ea7b3': 'approve',
  '0xa22cb465': 'setApprovalForAll',
}

function describeTransaction(value: unknown): WalletPrompt {
  const { to, data } = (value ?? {}) as { readonly to?: unknown; readonly data?: unknown }
  const selector = String(data ?? '').slice(0, 10)
  const facts = [
    ['Contract', String(to ?? 'new contract')],
    ['Function', functionNames[selector] ?? (selector || 'none')],
  ] as const
  return { title: 'Send this transaction?', facts, confirmLabel: 'Confirm' }
}

function describeTypedData(value: unknown): WalletPrompt {
  const { primaryType, message } = JSON.parse(String(value)) as { primaryType?: string; message?: object }
  const facts = Object.entries(message ?? {}).map(([name, part]) => [name, String(part)] as const)
  return { title: `Sign this ${primaryType ?? 'message'}?`, facts, confirmLabel: 'Sign' }
}

function createError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function toHex(id: number): string {
  return `0x${id.toString(16)}`
}
