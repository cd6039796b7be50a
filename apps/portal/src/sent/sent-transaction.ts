/** What a transaction does. Amounts and token ids are decimal texts. */
export type SentAct =
  | { readonly kind: 'lend'; readonly principal: string; readonly tenorDays: number }
  | { readonly kind: 'claim'; readonly tokenIds: readonly string[] }
  | { readonly kind: 'approveDollars'; readonly principal: string }
  | { readonly kind: 'approvePositions'; readonly tokenIds: readonly string[] }

export type SentState =
  /** The wallet was asked to send it, and the page has no answer: it may have been sent. */
  | { readonly kind: 'asked' }
  /** The owners of a contract wallet have to sign it before it is sent. That can take hours. */
  | { readonly kind: 'signing' }
  | { readonly kind: 'waiting' }
  /** Mined. `isFinal`: deep enough that a reorganisation has become unlikely. */
  | { readonly kind: 'confirmed'; readonly isFinal: boolean }
  | { readonly kind: 'failed'; readonly isFinal: boolean; readonly reason?: string | undefined }
  /** Another transaction of the account with the same nonce was mined instead. */
  | { readonly kind: 'replaced' }
  /** The node does not know it any more, and its nonce is free. */
  | { readonly kind: 'dropped' }
  /** The owners of a contract wallet rejected it, or it came too late to be executed. */
  | { readonly kind: 'cancelled' }

/** Transaction that the page asked a wallet to send, as the browser keeps it. */
export type SentTransaction = {
  /** The hash, or `asked-…` while it is not known. */
  readonly id: string
  readonly chainId: number
  /** In lower case. */
  readonly account: string
  readonly hash?: string | undefined
  /** The transaction that executed it, if a contract wallet knows it by a hash of its own. */
  readonly executedHash?: string | undefined
  readonly act: SentAct
  readonly state: SentState
  /** By the clock of this browser. */
  readonly sentAtMs: number
  /** As the node states it; before, the next nonce of the account when the wallet was asked. */
  readonly nonce?: number | undefined
  /** Fingerprint of the call, by which a transaction with another hash is recognized. */
  readonly call: string
  /** When the present outcome was seen first. */
  readonly endedAtMs?: number | undefined
}

/** Returns whether a transaction may still be mined. */
export function isPending({ state }: SentTransaction): boolean {
  return state.kind === 'asked' || state.kind === 'signing' || state.kind === 'waiting'
}

type Owner = { readonly chainId: number; readonly account: string }

/** Returns the token ids whose claim was sent. A confirmed one is among them until the index has it. */
export function listClaiming(all: readonly SentTransaction[], { chainId, account }: Owner): ReadonlySet<string> {
  const claims = all.filter(
    (one) =>
      one.chainId === chainId &&
      one.account === account.toLowerCase() &&
      (one.state.kind === 'confirmed' || (isPending(one) && one.hash !== undefined)),
  )
  return new Set(claims.flatMap(({ act }) => (act.kind === 'claim' ? act.tokenIds : [])))
}

/**
 * Returns a short fingerprint of a call (FNV-1a). It only compares transactions of one account and nonce.
 *
 * @example
 * fingerprintCall({ to: '0x52', data: '0x' }) // '0x52:2:b2e1dc5a'
 */
export function fingerprintCall({ to, data }: { readonly to: unknown; readonly data: unknown }): string {
  const text = String(data ?? '0x').toLowerCase()
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return `${String(to ?? '').toLowerCase()}:${text.length}:${(hash >>> 0).toString(16)}`
}

const dayMs = 86_400_000
const perAccountMax = 20
const totalMax = 100

/**
 * Returns the transactions to keep, newest first: finished ones for a day, and what a wallet was only asked for. Each account
 * has 20 per chain at most.
 */
export function selectKept(all: readonly SentTransaction[], nowMs: number): readonly SentTransaction[] {
  const counts = new Map<string, number>()
  return all
    .filter(
      ({ state, sentAtMs, endedAtMs }) => nowMs - (endedAtMs ?? (state.kind === 'asked' ? sentAtMs : nowMs)) < dayMs,
    )
    .toSorted((a, b) => b.sentAtMs - a.sentAtMs || (a.id < b.id ? -1 : 1))
    .filter(({ chainId, account }) => {
      const key = `${chainId} ${account}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count <= perAccountMax
    })
    .slice(0, totalMax)
}
