import { type NoteDomain, type NoteTerms, TallystickError } from '@tallystick/core'
import type { Address } from 'viem'

/** Whatever holds the key. What it answers is not believed: see `signNote`. */
export type Signer = {
  readonly kind: 'private-key' | 'keystore' | 'web3signer'
  readonly address: Address
  /** The 65 bytes r, s, v as hex. Throws `SignerError`. */
  sign(terms: NoteTerms, domain: NoteDomain): Promise<string>
}

export const signerFailures = ['unreachable', 'timeout', 'refused', 'malformed', 'wrong_key'] as const
export type SignerFailure = (typeof signerFailures)[number]

/** A signer did not sign, or signed something that must not be published. */
export class SignerError extends TallystickError {
  override readonly name = 'SignerError'
  readonly failure: SignerFailure

  constructor({ failure, message, cause }: { failure: SignerFailure; message: string; cause?: unknown }) {
    super({ code: 'signer_failed', message, retryable: true, cause, details: { failure } })
    this.failure = failure
  }
}
