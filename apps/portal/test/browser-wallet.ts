import type { Page } from 'playwright-core'
import type { Credentials } from '../../../test/set-up/start-sandbox.ts'

/** Wallet in `window.ethereum` of a page. Its node is the sandbox's, which signs for the accounts of the credentials. */
export type BrowserWallet = {
  /** Handles a method before the node does. Returns undefined to pass it on. */
  answer: (method: string, params: readonly unknown[]) => unknown
  /** Methods that the page requested. */
  readonly methods: string[]
}

/** Adds a wallet that only `window.ethereum` has (EIP-1193) to every page that is opened next. */
export async function addBrowserWallet(page: Page, { chains: [{ rpcUrl }] }: Credentials): Promise<BrowserWallet> {
  const wallet: BrowserWallet = { answer: () => undefined, methods: [] }
  await page.exposeFunction('callWallet', async (method: string, params: readonly unknown[]) => {
    wallet.methods.push(method)
    try {
      const own = await wallet.answer(method, params)
      return own === undefined ? await callNode(rpcUrl, { method, params }) : { result: own }
    } catch (error) {
      return { error }
    }
  })
  await page.addInitScript(`window.ethereum = {
    listeners: {},
    on(event, listener) { (this.listeners[event] ??= []).push(listener) },
    removeListener() {},
    async request({ method, params = [] }) {
      const { result, error } = await window.callWallet(method, params)
      if (error) throw Object.assign(new Error(error.message), error)
      if (method === 'wallet_switchEthereumChain') for (const listener of this.listeners.chainChanged ?? []) listener(params[0].chainId)
      return result
    },
  }`)
  return wallet
}

type NodeAnswer = { readonly result?: unknown; readonly error?: { readonly code: number; readonly message: string } }

/** Sends a call to a node. Returns its response. */
async function callNode(
  url: string,
  call: { readonly method: string; readonly params: readonly unknown[] },
): Promise<NodeAnswer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
  })
  const { result, error } = (await response.json()) as NodeAnswer
  return error ? { error } : { result }
}

/** Sends a call to a node. Returns its result. Throws if it failed. */
export async function request(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const { result, error } = await callNode(url, { method, params })
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}
