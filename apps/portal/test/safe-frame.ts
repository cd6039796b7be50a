import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import type { Page } from 'playwright-core'
import type { Hash } from 'viem'
import type { OwnersWallet, WalletCall } from '../../../test/set-up/owners-wallet.ts'
import { request } from './browser-wallet.ts'

/** Interface of a Safe, on an HTTPS origin of its own. */
export type SafeServer = { readonly origin: string; stop(): Promise<void> }

// The side of the Safe in the Safe Apps protocol. What it does with a request, the test decides in `callSafe`.
const interfacePage = `<!doctype html>
<html lang="en"><title>Safe</title>
<style>body { margin: 0; font-family: sans-serif } header { padding: 12px 20px; background: #121312; color: #12ff80 }
iframe { display: block; width: 100%; height: calc(100vh - 44px); border: 0 }</style>
<header>Safe interface</header><iframe title="App"></iframe>
<script>
const frame = document.querySelector('iframe')
const app = new URLSearchParams(location.search).get('app')
window.seen = []
window.addEventListener('message', async ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== new URL(app).origin) return
  window.seen.push(data)
  const post = (answer) => source.postMessage({ id: data.id, version: data.env.sdkVersion, ...answer }, origin)
  const { result, error } = await window.callSafe(data.method, data.params)
  post(error === undefined ? { success: true, data: result } : { success: false, error })
})
frame.src = app
</script></html>`

export async function startSafeServer(): Promise<SafeServer> {
  const tls = createCertificateAuthority().issue(['127.0.0.1'])
  const { url, stop } = await startLocalServer(
    (_, response) => response.setHeader('content-type', 'text/html').end(interfacePage),
    { tls },
  )
  return { origin: url, stop }
}

export type SafeControl = {
  /** Whether the first owner declines what is proposed next. */
  declines: boolean
  /** Transactions that the page proposed. */
  readonly proposed: Hash[]
  /** Methods that the page requested. */
  readonly methods: string[]
}

/** Lets a page be the interface of a Safe, whose transactions the wallet executes. */
export async function controlSafe(
  page: Page,
  { wallet, rpcUrl, chainId }: { readonly wallet: OwnersWallet; readonly rpcUrl: string; readonly chainId: number },
): Promise<SafeControl> {
  const control: SafeControl = { declines: false, proposed: [], methods: [] }
  const answers: Readonly<Record<string, (params: never) => unknown>> = {
    getSafeInfo: () => ({ safeAddress: wallet.address, chainId, threshold: 2, owners: [], isReadOnly: false }),
    rpcCall: ({ call, params }: { call: string; params: readonly unknown[] }) => request(rpcUrl, call, ...params),
    sendTransactions: async ({ txs }: { txs: readonly (WalletCall & { value: string })[] }) => {
      if (control.declines) throw new Error('Transaction was rejected')
      const safeTxHash = await wallet.propose(txs.map((call) => ({ ...call, value: BigInt(call.value) })))
      control.proposed.push(safeTxHash)
      return { safeTxHash }
    },
    getTxBySafeTxHash: async ({ safeTxHash }: { safeTxHash: string }) => {
      const { status, txHash, confirmations, required } = await wallet.stateOf(safeTxHash)
      const signed = Array.from({ length: confirmations }, () => ({}))
      const detailedExecutionInfo = { confirmations: signed, confirmationsRequired: required }
      return { txStatus: status, txHash: txHash ?? null, detailedExecutionInfo }
    },
  }
  await page.exposeFunction('callSafe', async (method: string, params: never) => {
    control.methods.push(method)
    try {
      return { result: await answers[method]?.(params) }
    } catch (error) {
      return { error: (error as Error).message }
    }
  })
  return control
}
