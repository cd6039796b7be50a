import type { Note } from '@tallystick/core/note/note'
import { type NoteVerification, verifyNote as verifyCoreNote } from '@tallystick/core/note/verify-note'
import type { Address } from 'viem'

/** Whose signature a note must carry, and for which pool. */
export type VerifyNoteOptions = {
  /** The pool contract on the note's chain. */
  readonly pool: Address
  /** The pool's registered signer: read it from the chain, or from whom you trust, never from the API itself. */
  readonly signer: Address
  /** Name and version of the pool's EIP-712 domain; `NoteSignatureVerifier` and `1` if left out. */
  readonly domain?: { readonly name: string; readonly version: string } | undefined
}

/**
 * Whether a note was signed by `signer` for this pool and the note's own chain, so that the pool will know it as genuine.
 * Says nothing of time: see `noteStatus`. Nothing is asked over the network.
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
