import type { HttpError } from '@tallystick/chain'
import { SignerError } from './signer.ts'

const failures = { timeout: 'timeout', too_large: 'malformed', unreachable: 'unreachable' } as const

/** Converts a failed request to a signer. `name` is the signer's in messages. */
export function toSignerError(name: string, { failure, message }: HttpError): SignerError {
  return new SignerError({ failure: failures[failure], message: `${name} ${message}.` })
}
