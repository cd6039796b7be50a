import type { SentStore } from '../sent/sent-store.ts'
import { fingerprintCall, type SentAct, type SentTransaction } from '../sent/sent-transaction.ts'
import type { Provider } from './provider/provider.ts'
import { findWalletFault, type WalletFault } from './provider/wallet-error.ts'

export type RecordOptions = {
  readonly sent: SentStore
  readonly chainId: number
  readonly account: string
  /** Whether several owners have to sign. */
  readonly hasOwners: boolean
  /** Returns what a call does, by its data. */
  readonly describe: (data: string) => SentAct
  readonly createId: () => string
  readonly now: () => number
}

// These prove that the wallet sent nothing.
const refusals: readonly (WalletFault | undefined)[] = [
  'rejected',
  'busy',
  'locked',
  'unknown_chain',
  'unsupported',
  'no_gas',
]

/**
 * Records every transaction that a provider is asked to send: before the wallet is asked, and again at the moment its hash is
 * known, also if the page stopped waiting. A page that is closed at any time in between leaves a trace.
 */
export function recordSends(provider: Provider, options: RecordOptions) {
  const { sent } = options
  let open: string | undefined
  let known: string | undefined
  const send: Provider['request'] = async (call) => {
    const asked = await describeCall(provider, readCall(call), options)
    open = asked.id
    sent.put(asked)
    try {
      const answer = await provider.request(call)
      const hash = readHash(call.method, answer)
      if (/^0x[0-9a-f]{64}$/.test(hash)) {
        known = hash
        const state = { kind: options.hasOwners ? 'signing' : 'waiting' } as const
        // A watch may have found it on the chain before.
        const isFound = sent.get().some(({ id }) => id === hash)
        if (!isFound) sent.put({ ...asked, id: hash, hash, state, sentAtMs: options.now() })
        sent.remove(asked.id)
      }
      return answer
    } catch (error) {
      if (refusals.includes(findWalletFault(error))) sent.remove(asked.id)
      throw error
    }
  }
  return {
    provider: {
      request: (call) => (sendMethods.includes(call.method) ? send(call) : provider.request(call)),
    } satisfies Provider,
    /** Forgets a request of which another source says that nothing was sent. */
    forget: () => {
      if (open !== undefined) sent.remove(open)
    },
    /** Says that the owners of the wallet do not send the last transaction any more. */
    cancel: () => {
      const last = sent.get().find(({ id }) => id === known)
      if (last?.state.kind !== 'signing') return
      sent.update(last.id, { ...last, state: { kind: 'cancelled' }, endedAtMs: options.now() })
    },
  }
}

const sendMethods = ['eth_sendTransaction', 'wallet_sendCalls']

type Call = { readonly to?: unknown; readonly data?: unknown }

/** Returns the call that a wallet is asked to send. The last one names a batch: those before it are approvals. */
function readCall({ method, params }: Parameters<Provider['request']>[0]): Call {
  const [first] = (Array.isArray(params) ? params : []) as [(Call & { readonly calls?: readonly Call[] })?]
  return (method === 'wallet_sendCalls' ? first?.calls?.at(-1) : first) ?? {}
}

/** Returns the hash by which a wallet knows what it sends. A Safe's id of a batch is one. */
function readHash(method: string, answer: unknown): string {
  const id = method === 'wallet_sendCalls' ? (answer as { readonly id?: unknown } | null)?.id : answer
  return String(id).toLowerCase()
}

async function describeCall(provider: Provider, { to, data }: Call, options: RecordOptions): Promise<SentTransaction> {
  const { chainId, account, describe, createId, now } = options
  return {
    ...{ id: `asked-${createId()}`, chainId, account: account.toLowerCase(), act: describe(String(data ?? '0x')) },
    ...{ state: { kind: 'asked' }, call: fingerprintCall({ to, data }), sentAtMs: now() },
    nonce: await readNextNonce(provider, account),
  }
}

// Without the nonce, a transaction whose hash gets lost is not found again. That is better than a wallet that is not asked.
const nonceTimeoutMs = 2_000

async function readNextNonce(provider: Provider, account: string): Promise<number | undefined> {
  const read = provider.request({ method: 'eth_getTransactionCount', params: [account, 'pending'] }).then(
    (count) => (Number.isSafeInteger(Number(count)) ? Number(count) : undefined),
    () => undefined,
  )
  const limit = new Promise<undefined>((resolve) => setTimeout(resolve, nonceTimeoutMs, undefined))
  return Promise.race([read, limit])
}
