import { explainRevert } from '../../revert/explain-revert.ts'
import { isRevert, partsOfError, textOfPart } from './is-revert.ts'
import { describeError, isRejectedByUser, TransactionError } from './transaction-error.ts'

// EIP-1193, EIP-1474 and EIP-3085: the request was not carried out. -32002: another request waits for the user.
const refusals: ReadonlySet<unknown> = new Set([4100, 4200, 4902, -32600, -32601, -32602, -32002, -32003, -32004])
const refusalTexts = /insufficient funds|doesn't have enough funds|exceeds the balance of the account/i

/** Returns whether an error proves that nothing was sent, or that what was sent reverted. */
export function isRefusal(error: unknown): boolean {
  if (isRejectedByUser(error) || explainRevert(error) || isRevert(error)) return true
  return [...partsOfError(error)].some(
    (part) =>
      refusals.has(part['code']) || part['name'] === 'ChainMismatchError' || refusalTexts.test(textOfPart(part)),
  )
}

/** Returns the error of a request that may have sent a transaction although it failed. */
export function lostAnswer(error: unknown): TransactionError {
  const message = `The wallet or its node failed while it sent the transaction: ${describeError(error)} The transaction may have been sent nevertheless. Check your positions before you try again.`
  return new TransactionError({ code: 'transaction_pending', message, cause: error })
}
