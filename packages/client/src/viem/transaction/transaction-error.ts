import { BaseError, type Hash } from 'viem'
import { ClientError, type ClientErrorOptions } from '../../client-error.ts'
import type { Claimability } from '../../income/claimability.ts'
import { explainRevert, type RevertExplanation } from '../../revert/explain-revert.ts'
import type { RevertParties } from '../../revert/explanation.ts'
import type { ClaimAllResult, SkippedPosition } from '../action-options.ts'
import { isRevert, partsOfError } from './is-revert.ts'

/** Members of a `TransactionError`. */
export type TransactionErrorOptions = ClientErrorOptions & {
  readonly retryable?: boolean | undefined
  readonly explanation?: RevertExplanation | undefined
  readonly hash?: Hash | undefined
  readonly callsId?: string | undefined
  readonly claimed?: ClaimAllResult | undefined
  readonly skipped?: readonly SkippedPosition[] | undefined
  readonly claimability?: Claimability | undefined
}

/**
 * Thrown by `lend`, `claim` and `claimAll`. `code` says what happened. `note_expired`: get another note and ask again.
 * `note_not_yet_valid`: wait for the next block. `call_reverted`: the contracts reject the transaction, and `explanation`
 * says why. `wallet_rejected`: the user declined. `wrong_chain`: the wallet is on another chain. `transaction_replaced`: the
 * user replaced or cancelled it in the wallet. `transaction_dropped`: the chain does not know it.
 * `transaction_pending`: it was sent, but its receipt was not read within `timeoutSeconds`; or, without `hash`, the wallet
 * failed while it sent it. It may be mined already or later. `chain_failed`: the wallet or its node failed, and nothing was
 * sent. `aborted`: the signal stopped `claimAll` after some claims, which `claimed` has; an abort before throws the signal's
 * reason. `income_not_reported`: a claim would lose income for good, and `claimability` says how much; nothing was sent. An error with a `hash`, a `callsId` or `claimed` is never `retryable`.
 *
 * @example
 * const error = new TransactionError({ code: 'note_expired', message: 'The note has expired.' })
 * error.code // => 'note_expired'
 */
export class TransactionError extends ClientError {
  override readonly name = 'TransactionError' as const
  /** Explanation of the revert, if the contracts rejected the transaction with a known error. */
  readonly explanation: RevertExplanation | undefined
  /** Hash of the transaction, if one was sent. */
  readonly hash: Hash | undefined
  /** Id of a batch that the wallet has not executed yet. A Safe's is its safeTxHash. */
  readonly callsId: string | undefined
  /** Claims that `claimAll` made before a later transaction failed. They are paid. */
  readonly claimed: ClaimAllResult | undefined
  /** All positions of `claimAll` with their reasons, if none of them could be claimed. */
  readonly skipped: readonly SkippedPosition[] | undefined
  /** Income of the claim now and later, if the code is `income_not_reported`. */
  readonly claimability: Claimability | undefined

  constructor(given: TransactionErrorOptions) {
    const { explanation, hash, callsId, claimed, skipped, claimability, retryable, ...options } = given
    // After a transaction was sent, the same call can lend twice.
    const isSent = hash !== undefined || callsId !== undefined || claimed !== undefined
    super({ ...options, retryable: !isSent && (retryable ?? explanation?.retryable ?? false) })
    this.explanation = explanation
    this.hash = hash
    this.callsId = callsId
    this.claimed = claimed
    this.skipped = skipped
    this.claimability = claimability
  }
}

export function noteExpired(cause?: unknown): TransactionError {
  const message = 'The note has expired. Get the notes of the current period and lend on one of them.'
  return new TransactionError({ code: 'note_expired', message, cause })
}

/** Returns the error of a call that the contracts reject, or that could not be run. */
export function rejectedCall(
  error: unknown,
  { hash, parties }: { readonly hash?: Hash | undefined; readonly parties?: RevertParties | undefined } = {},
): TransactionError {
  const explanation = explainRevert(error, parties)
  const failed = { explanation, hash, cause: error }
  if (!explanation) return failedCall(error, hash)
  if (explanation.name === 'FeedSignatureVerifier__FeedExpired') {
    return new TransactionError({ ...failed, code: 'note_expired', message: noteExpired().message })
  }
  const isEarly = explanation.name === 'FeedSignatureVerifier__FeedNotYetValid'
  const code = isEarly ? 'note_not_yet_valid' : 'call_reverted'
  return new TransactionError({ ...failed, code, message: explanation.message })
}

function failedCall(error: unknown, hash: Hash | undefined): TransactionError {
  const reason = describeError(error)
  if (isRevert(error)) {
    const message = `The transaction would fail: ${reason}`
    return new TransactionError({ code: 'call_reverted', message, cause: error, hash })
  }
  const message = `The wallet or its node failed: ${reason}`
  return new TransactionError({ code: 'chain_failed', message, retryable: true, cause: error, hash })
}

/**
 * Runs work that follows a sent transaction. Adds the hash to any error: the transaction may have succeeded, so that nobody
 * must send it again.
 */
export async function keepHash<Result>(hash: Hash, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TransactionError && error.hash !== undefined) throw error
    const message = `Transaction ${hash} was sent, but its result could not be read: ${describeError(error)} Check your positions before you try again.`
    throw new TransactionError({ code: 'transaction_pending', message, hash, cause: error })
  }
}

/** Returns a short description. viem's whole message contains the URL of the node, which may contain a key. */
export function describeError(error: unknown): string {
  if (error instanceof BaseError) return error.details || error.shortMessage
  return error instanceof Error ? error.message : String((error as { message?: unknown } | undefined)?.message ?? error)
}

/** Returns whether the user declined a request of the wallet. */
export function isRejectedByUser(error: unknown): boolean {
  return [...partsOfError(error)].some(({ code, name }) => {
    // EIP-1193, WalletConnect, ethers.
    return code === 4001 || code === 5000 || code === 'ACTION_REJECTED' || name === 'UserRejectedRequestError'
  })
}

/** Turns whatever an action throws into a `TransactionError`. Errors of this client and aborts stay as they are. */
export function toTransactionError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof ClientError || (signal?.aborted && error === signal.reason)) return error
  if (!isRejectedByUser(error)) return rejectedCall(error)
  const message = 'The request was declined in the wallet. Nothing was sent.'
  return new TransactionError({ code: 'wallet_rejected', message, cause: error })
}

/** Throws an error with the position that it belongs to. */
export function throwNamed(error: unknown, tokenId: bigint): never {
  const named = error instanceof ClientError ? error : rejectedCall(error)
  throw named instanceof TransactionError ? nameError(named, tokenId) : named
}

/** Adds the position that an error belongs to. */
export function nameError(error: TransactionError, tokenId: bigint): TransactionError {
  const { code, explanation, retryable, cause } = error
  const message = `Position ${tokenId}: ${error.message}`
  return new TransactionError({ code, explanation, retryable, cause, message, details: { tokenId: String(tokenId) } })
}
