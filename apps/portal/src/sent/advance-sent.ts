import type { SentState, SentTransaction } from './sent-transaction.ts'

/** What a look at the chain found of a transaction. */
export type Sighting =
  /** `executedHash` differs from the known hash if a contract wallet sent it. */
  | {
      readonly kind: 'mined'
      readonly executedHash?: string | undefined
      readonly isSuccess: boolean
      readonly isFinal: boolean
      readonly reason?: string | undefined
    }
  /** The node knows it, and has no receipt of it. */
  | { readonly kind: 'pending'; readonly nonce?: number | undefined }
  /** The node does not know it, and its nonce is free. */
  | { readonly kind: 'absent' }
  /** The node does not know it, and the nonce is used. `by` has the transaction that used it, if it was found. */
  | {
      readonly kind: 'overtaken'
      readonly by?: { readonly hash: string; readonly call: string } | undefined
      readonly nextNonce: number
    }
  /** A contract wallet says that it will not be executed. */
  | { readonly kind: 'cancelled' }

// A node behind a balancer may not know yet what another one does.
const absentLooksMax = 5
const absentMinMs = 10_000
const overtakenLooksMax = 2
// An indexer may know that the nonce is used before it knows by which transaction.
const cancelledLooksMax = 3
// A reorganisation, or only a node that is behind.
const unminedLooksMax = 3

type Look = {
  readonly sighting: Sighting
  readonly nowMs: number
  /** How often in a row the looks found the same kind, this one included. */
  readonly count: number
}

/** Returns a transaction after a look at the chain. It has another id if it was found under another hash. */
export function advanceSent(sent: SentTransaction, { sighting, nowMs, count }: Look): SentTransaction {
  switch (sighting.kind) {
    case 'mined': {
      const { isSuccess, isFinal } = sighting
      const reason = sighting.reason ?? (sent.state.kind === 'failed' ? sent.state.reason : undefined)
      const known = { ...sent, executedHash: sighting.executedHash ?? sent.executedHash }
      return end(known, isSuccess ? { kind: 'confirmed', isFinal } : { kind: 'failed', isFinal, reason }, nowMs)
    }
    case 'pending':
      if (isMined(sent) && count < unminedLooksMax) return sent
      return { ...sent, nonce: sighting.nonce ?? sent.nonce, state: { kind: 'waiting' }, endedAtMs: undefined }
    case 'absent':
      if (isUndecided(sent) || count < absentLooksMax || nowMs - sent.sentAtMs < absentMinMs) return sent
      return end(sent, { kind: 'dropped' }, nowMs)
    case 'cancelled':
      return count < cancelledLooksMax ? sent : end(sent, { kind: 'cancelled' }, nowMs)
    case 'overtaken':
      return count < overtakenLooksMax ? sent : takeOver(sent, sighting, nowMs)
  }
}

/** The nonce was used. A transaction with the same call is this one: the wallet sped it up, or its answer was lost. */
function takeOver(sent: SentTransaction, { by, nextNonce }: Extract<Sighting, { kind: 'overtaken' }>, nowMs: number) {
  if (by && by.call === sent.call) {
    return { ...sent, id: by.hash, hash: by.hash, state: { kind: 'waiting' }, endedAtMs: undefined } as const
  }
  if (sent.state.kind === 'signing' || sent.state.kind === 'cancelled') return sent
  // The request still waits in the wallet, and would get a later nonce. Unless nobody knows which transaction it was.
  if (sent.state.kind === 'asked') return by ? { ...sent, nonce: nextNonce } : sent
  return end(sent, { kind: 'replaced' }, nowMs)
}

function isMined({ state }: SentTransaction): boolean {
  return state.kind === 'confirmed' || state.kind === 'failed'
}

function isUndecided({ state }: SentTransaction): boolean {
  return state.kind === 'asked' || state.kind === 'signing' || state.kind === 'cancelled'
}

function end(sent: SentTransaction, state: SentState, nowMs: number): SentTransaction {
  const isSame = sent.state.kind === state.kind && sent.endedAtMs !== undefined
  return { ...sent, state, endedAtMs: isSame ? sent.endedAtMs : nowMs }
}

// A node that lagged behind may find it after all, and a reorganisation may move it.
const afterwardsMs = 10 * 60_000

/** Returns whether the outcome of a transaction can still change. */
export function isOpen({ state, endedAtMs }: SentTransaction, nowMs: number): boolean {
  if (endedAtMs === undefined) return true
  const isFinal = (state.kind === 'confirmed' || state.kind === 'failed') && state.isFinal
  return !isFinal && nowMs - endedAtMs < afterwardsMs
}
