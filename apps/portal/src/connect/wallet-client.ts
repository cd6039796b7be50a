import { type ActionStep, tallystickActions } from '@tallystick/client/viem'
import type { PortalChain } from '@tallystick/core'
import { type Chain, type Client, createClient, custom, defineChain, type JsonRpcAccount, type Transport } from 'viem'
import { getCode } from 'viem/actions'
import type { SentStore } from '../sent/sent-store.ts'
import type { SentAct } from '../sent/sent-transaction.ts'
import type { ActivityStep } from './activity.ts'
import type { Account, Connection } from './connector.ts'
import { createPatientProvider } from './provider/patient-provider.ts'
import type { Provider } from './provider/provider.ts'
import { readChainId, switchChain } from './provider/switch-chain.ts'
import { WalletError } from './provider/wallet-error.ts'
import { recordSends } from './record-sends.ts'
import type { ActionTools } from './use-activity.ts'

// Receipts are polled. Chains with notes have a block every second or two.
const pollingIntervalMs = 1_000

// A Safe keeps a transaction until its owners have signed, or reject it.
const ownersTimeoutSeconds = 7 * 86_400

/** Returns the longest wait for a transaction, or undefined for that of the SDK. */
export function chooseTimeout({ wallet }: Pick<Connection, 'wallet'>): number | undefined {
  return wallet.hasOwners ? ownersTimeoutSeconds : undefined
}

/** What a lend or a claim is sent with. */
export type WalletOrder = {
  readonly connection: Connection
  readonly chain: PortalChain
  /** Returns the service's time in Unix seconds. */
  readonly now: () => bigint
  /** Where the transactions are kept. */
  readonly sent: SentStore
}

// The action ends before the transaction does if it takes longer than this. It is then watched in the tray.
const unknown = 'transaction_pending'

type WalletAction<Result> = (wallet: Awaited<ReturnType<typeof openWallet>>) => Promise<Result>

/** Runs an action with the visitor's wallet. `describe` returns what a call does, by its data, to keep it. */
export async function runWithWallet<Result>(
  { describe, ...order }: WalletOrder & { readonly describe: (data: string) => SentAct },
  tools: ActionTools,
  act: WalletAction<Result>,
): Promise<Result> {
  const { wallet, account } = order.connection
  const { provider, forget, cancel } = recordSends(wallet.provider, {
    ...{ sent: order.sent, chainId: order.chain.id, account, hasOwners: wallet.hasOwners === true, describe },
    ...{ createId: () => crypto.randomUUID(), now: Date.now },
  })
  try {
    const result = await act(await openWallet(provider, { ...order, tools }))
    // The wallet's name of a batch may be no hash. Its outcome is known now.
    forget()
    return result
  } catch (error) {
    const { code } = (error ?? {}) as { readonly code?: unknown }
    // A visitor who stops waiting can still confirm in the wallet.
    if (!tools.signal.aborted && code !== unknown) {
      forget()
      cancel()
    }
    throw error
  }
}

/** Switches the wallet to a chain and returns a client with the protocol's actions. Reads go through the wallet, too. */
async function openWallet(
  recorded: Provider,
  { connection: { account }, chain, now, tools }: WalletOrder & { readonly tools: ActionTools },
) {
  const provider = createPatientProvider(recorded, tools)
  if ((await readChainId(provider)) !== chain.id) tools.onStep('switch')
  await switchChain(provider, chain)
  tools.onStep('check')
  const client = createReader(provider, { chain, account }).extend(tallystickActions({ now }))
  const code = await getCode(client, { address: chain.pool })
  if (code === undefined || code === '0x') throw foreignChain(chain)
  return { client, provider }
}

/** Client that reads through a wallet and asks it to sign. */
export type WalletClient = Client<Transport, Chain, JsonRpcAccount>

/** Creates a client that reads a chain through a wallet. */
export function createReader(
  provider: Provider,
  { chain, account }: { readonly chain: PortalChain; readonly account: Account },
): WalletClient {
  const { id, name, currency, publicRpc } = chain
  return createClient({
    account: { address: account, type: 'json-rpc' },
    chain: defineChain({
      id,
      name,
      nativeCurrency: { name: currency, symbol: currency, decimals: 18 },
      rpcUrls: { default: { http: publicRpc } },
    }),
    transport: custom(provider, { retryCount: 0 }),
    pollingInterval: pollingIntervalMs,
    cacheTime: 0,
  })
}

const steps: Readonly<Record<string, ActivityStep>> = {
  permit: 'permit',
  approve: 'approve',
  simulate: 'check',
  send: 'send',
  wait: 'wait',
}

/** Returns an `onStep` of the SDK that reports to the page. */
export function reportSteps({ onStep }: Pick<ActionTools, 'onStep'>) {
  return ({ kind, hash, callsId }: ActionStep) => {
    if (callsId !== undefined) return onStep('owners', callsId)
    const step = kind === 'approve' && hash !== undefined ? 'approving' : steps[kind]
    if (step) onStep(step, hash)
  }
}

/** The wallet's network has the right id, but is another one: a sandbox has the ids of real chains. */
function foreignChain({ name, id, pool }: PortalChain): WalletError {
  const message = `The network with id ${id} in your wallet is not ${name} of this service: it has no pool at ${pool}. Change the network's RPC in the wallet.`
  return new WalletError('unknown_chain', message)
}
