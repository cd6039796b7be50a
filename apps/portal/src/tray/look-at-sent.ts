import type { Client } from '@tallystick/client'
import type { Provider } from '../connect/provider/provider.ts'
import { finalDepth, readState } from '../connect/watch-receipt.ts'
import type { Sighting } from '../sent/advance-sent.ts'
import type { SentTransaction } from '../sent/sent-transaction.ts'
import { findByNonce } from './find-by-nonce.ts'

/** Looks for a transaction through a wallet on its chain. Throws if the node fails: that says nothing about the transaction. */
export async function lookAtSent(provider: Provider, sent: SentTransaction): Promise<Sighting> {
  const { hash, account, nonce } = sent
  // Before the receipt: if the nonce is used by then and there is no receipt, another transaction used it.
  const counted = provider.request({ method: 'eth_getTransactionCount', params: [account, 'latest'] })
  const nextNonce = await counted.then(Number, () => undefined)
  const state = hash === undefined ? undefined : await readState(provider, hash)
  if (state?.kind === 'mined') {
    const { isSuccess, depth } = state
    const executedHash = state.hash === hash ? undefined : state.hash
    const isExplained = isSuccess || (sent.state.kind === 'failed' && sent.state.reason !== undefined)
    const reason = isExplained ? undefined : await explain(provider, hash as string)
    return { kind: 'mined', executedHash, isSuccess, isFinal: depth >= finalDepth, reason }
  }
  if (state?.kind === 'pending') return state
  if (sent.state.kind === 'signing' && (await isCancelled(provider, hash))) return { kind: 'cancelled' }
  if (nextNonce === undefined) throw new Error('The node does not state the next nonce.')
  if (nonce === undefined || nextNonce <= nonce) return { kind: 'absent' }
  const by = await findByNonce(provider, { account, nonce }).catch(() => undefined)
  return { kind: 'overtaken', by, nextNonce }
}

/** Returns whether a wallet of several owners says that it will not execute a transaction (EIP-5792: a status of 4xx). */
async function isCancelled(provider: Provider, hash: string | undefined): Promise<boolean> {
  const answer = await provider.request({ method: 'wallet_getCallsStatus', params: [hash] }).catch(() => undefined)
  const status = Number((answer as { readonly status?: unknown } | null | undefined)?.status)
  return status >= 400 && status < 500
}

/** Its code contains the errors of the contracts, which are needed only now. */
async function explain(provider: Provider, hash: string): Promise<string | undefined> {
  const { explainFailure } = await import('./explain-failure.ts')
  return explainFailure(provider, hash).catch(() => undefined)
}

/**
 * Looks for a transaction in the service's index, which needs no wallet. It has the lends and claims that were mined, and says
 * nothing about others.
 */
export async function lookInIndex(client: Client, sent: SentTransaction): Promise<Sighting | undefined> {
  const { act, hash, chainId, account } = sent
  if (hash === undefined || (act.kind !== 'lend' && act.kind !== 'claim')) return undefined
  const [answer] = await client.positions(account as `0x${string}`, { chains: [chainId] })
  const positions = answer?.positions ?? []
  const isClaimed = (id: string) => positions.some((one) => String(one.tokenId) === id && one.status === 'Claimed')
  const isThere =
    act.kind === 'lend'
      ? positions.some((one) => one.lendTransactionHash.toLowerCase() === hash)
      : act.tokenIds.every(isClaimed)
  return isThere ? { kind: 'mined', isSuccess: true, isFinal: false } : undefined
}
