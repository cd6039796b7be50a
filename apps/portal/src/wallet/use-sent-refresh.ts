import { useEffect } from 'preact/hooks'
import { type SentStore, useSent } from '../sent/sent-store.ts'
import type { SentTransaction } from '../sent/sent-transaction.ts'
import type { Lookup } from './keep-report.ts'
import type { Wallet } from './look-up-wallet.ts'

// The index has a block within a second or two.
const refreshMs = 1_500
// An index that does not have it by then is behind, and the report says what it has.
const patienceMs = 60_000

/** Looks a wallet up again until its report has what its owner lent and claimed, in whatever tab that was. */
export function useSentRefresh(sent: SentStore, { lookup, refresh }: { lookup: Lookup; refresh: () => void }): void {
  const all = useSent(sent)
  const wallet = lookup.status === 'found' ? lookup.wallet : undefined
  const isLate = wallet !== undefined && all.some((one) => isMissing(one, { wallet, nowMs: Date.now() }))
  useEffect(() => {
    if (!isLate) return undefined
    const timer = setTimeout(refresh, refreshMs)
    return () => clearTimeout(timer)
  }, [isLate, wallet])
}

type Shown = { readonly wallet: Pick<Wallet, 'address' | 'holdings'>; readonly nowMs: number }

/** Returns whether a report lacks a lend or a claim that was confirmed a moment ago. */
export function isMissing(
  { state, act, account, chainId, hash, endedAtMs = 0 }: SentTransaction,
  { wallet, nowMs }: Shown,
): boolean {
  const isRecent = state.kind === 'confirmed' && nowMs - endedAtMs < patienceMs
  if (!isRecent || account !== wallet.address.toLowerCase()) return false
  const holdings = wallet.holdings.filter(({ chain }) => chain.id === chainId)
  if (act.kind === 'lend') return !holdings.some((one) => one.lendTransactionHash.toLowerCase() === hash)
  if (act.kind !== 'claim') return false
  return holdings.some(({ tokenId, state }) => state !== 'claimed' && act.tokenIds.includes(String(tokenId)))
}
