import type { HttpError } from '@tallystick/chain'
import { type NoteDomain, type NoteTerms, TallystickError } from '@tallystick/core'
import type { Address } from 'viem'

/** The holder of the key that signs notes. Its signatures are untrusted: `signNote` verifies them. */
export type Signer = {
  readonly kind: 'private-key' | 'keystore' | 'web3signer' | 'aws-kms' | 'gcp-kms'
  readonly address: Address
  /** Why the key could not be compared with the configured address when the signer was opened. */
  readonly unchecked?: SignerError | undefined
  /** Returns the 65 bytes r, s, v as hex. Throws `SignerError`. */
  sign(terms: NoteTerms, domain: NoteDomain): Promise<string>
}

/** Time limit of a request to a signer, unless configured. */
export const timeoutMsDefault = 5_000

export const signerFailures = ['unreachable', 'timeout', 'refused', 'malformed', 'wrong_key'] as const
export type SignerFailure = (typeof signerFailures)[number]

/** Thrown if a signer fails or returns a signature that must not be published. */
export class SignerError extends TallystickError {
  override readonly name = 'SignerError'
  readonly failure: SignerFailure

  constructor({ failure, message, cause }: { failure: SignerFailure; message: string; cause?: unknown }) {
    super({ code: 'signer_failed', message, retryable: true, cause, details: { failure } })
    this.failure = failure
  }
}

const failures = { timeout: 'timeout', too_large: 'malformed', unreachable: 'unreachable' } as const

/** Converts a failed request to a signer. `name` is the signer's in messages. */
export function toSignerError(name: string, { failure, message }: HttpError): SignerError {
  return new SignerError({ failure: failures[failure], message: `${name} ${message}.` })
}
