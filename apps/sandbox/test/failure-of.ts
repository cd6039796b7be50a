import { TransactionError } from '@tallystick/client/viem'
import { expect } from 'vitest'

/** Returns the error of an action that must fail. */
export async function failureOf(action: Promise<unknown>): Promise<TransactionError> {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TransactionError)
  return error as TransactionError
}
