import { type Note, type NoteVerification, verifyNote as verifyCoreNote } from '@tallystick/core'
import type { Address } from 'viem'

/** Options of `verifyNote`. */
export type VerifyNoteOptions = {
  /** Pool contract on the note's chain. */
  readonly pool: Address
  /** The pool's registered signer. Read it from the chain or another trusted source, never from the API itself. */
  readonly signer: Address
  /** Name and version of the pool's EIP-712 domain; `NoteSignatureVerifier` and `1` by default. */
  readonly domain?: { readonly name: string; readonly version: string } | undefined
}

/**
 * Verifies that a note was signed by `signer` for this pool and the note's chain, so that the pool accepts its signature.
 * Does not check time: see `noteStatus`. Sends no request.
 *
 * @example
 * const { notes } = await client.notes({ chainId: 324 })
 * const verification = await verifyNote(notes[0]!, { pool, signer })
 * verification.valid // => true
 */
export async function verifyNote(note: Note, { pool, signer, domain }: VerifyNoteOptions): Promise<NoteVerification> {
  const { name, version } = domain ?? { name: 'NoteSignatureVerifier', version: '1' }
  return verifyCoreNote(note, { domain: { name, version, verifyingContract: pool }, signer })
}
