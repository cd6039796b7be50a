import { findSignatureFault, type Note, type NoteDomain, type NoteSignature, verifyNote } from '@tallystick/core'
import { type Signer, SignerError } from './signer.ts'

/**
 * Signs a note and verifies the signature: recovers the address and compares it. Throws `SignerError` for a signature by
 * another key, a high s, v 0 or 1, or malformed bytes.
 */
export async function signNote(
  signer: Signer,
  { terms, domain }: { readonly terms: Omit<Note, 'signature'>; readonly domain: NoteDomain },
): Promise<Note> {
  const note = { ...terms, signature: splitSignature(await signer.sign(terms, domain)) }
  const verification = await verifyNote(note, { domain, signer: signer.address })
  if (verification.valid) return note
  throw new SignerError({
    failure: 'wrong_key',
    message: `The ${signer.kind} signer returned a signature by another key: ${verification.reason}. Nothing was published. Check the signer's key.`,
  })
}

function splitSignature(hex: string): NoteSignature {
  const match = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})([0-9a-fA-F]{2})$/.exec(hex)
  const signature = match && {
    r: `0x${match[1]?.toLowerCase()}`,
    s: `0x${match[2]?.toLowerCase()}`,
    v: Number(`0x${match[3]}`),
  }
  const fault = signature ? findSignatureFault(signature) : 'it is not 65 bytes of hex'
  if (!fault) return signature as NoteSignature
  throw new SignerError({
    failure: 'malformed',
    message: `The signer returned a signature that the pool would refuse: ${fault}. Nothing was published.`,
  })
}
