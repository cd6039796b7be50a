import { ClientError } from '../client-error.ts'
import { rejectedCall, TransactionError } from './transaction-error.ts'

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
