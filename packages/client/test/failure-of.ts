import { expect } from 'vitest'
import { ClientError } from '../src/client-error.ts'

/** Returns the error of a call. */
export async function failureOf(work: Promise<unknown>): Promise<ClientError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}
