import { type Address, isAddressEqual, recoverAddress, size } from 'viem'
import type { Note, NoteDomain, NoteSignature } from './note.ts'
import { hashNote } from './note-typed-data.ts'
import { createRecentResults } from './recent-results.ts'

/** Result of a verification. `reason` says why a note is not valid. */
export type NoteVerification =
  | { readonly valid: true; readonly signer: Address }
  | { readonly valid: false; readonly reason: string; readonly signer?: Address | undefined }

// Half the order of secp256k1. A higher s is malleable (EIP-2) and strict verifiers reject it.
const secp256k1HalfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Verifies that a note was signed by `signer` for this domain and the note's chain. Does not check time: see `noteStatusAt`.
 *
 * @example
 * await verifyNote(note, { domain, signer }) // { valid: true, signer: '0x1a64…' }
 */
export async function verifyNote(
  note: Note,
  { domain, signer }: { readonly domain: NoteDomain; readonly signer: Address },
): Promise<NoteVerification> {
  const fault = findSignatureFault(note.signature)
  if (fault) return { valid: false, reason: fault }
  const recovered = await recoverNoteSigner(note, domain)
  if (!recovered) return { valid: false, reason: 'no public key matches this signature' }
  if (isAddressEqual(recovered, signer)) return { valid: true, signer: recovered }
  return { valid: false, reason: `signed by ${recovered}, not by ${signer}`, signer: recovered }
}

/**
 * Returns why a signature must not be published, or undefined. The pool uses plain `ecrecover`, so r and s must be 32 bytes
 * each, s low, and v 27 or 28.
 *
 * @example
 * findSignatureFault({ r, s, v: 1 }) // 'v is 1, not 27 or 28'
 */
export function findSignatureFault(signature: {
  readonly r: string
  readonly s: string
  readonly v: number
}): string | undefined {
  for (const part of ['r', 's'] as const) {
    const value = signature[part]
    if (!/^0x[0-9a-f]*$/.test(value) || size(value as `0x${string}`) !== 32) return `${part} is not 32 bytes of hex`
  }
  if (BigInt(signature.s) > secp256k1HalfOrder) return 's is in the upper half of the curve order'
  if (signature.v !== 27 && signature.v !== 28) return `v is ${signature.v}, not 27 or 28`
  return undefined
}

// Recovering an address takes milliseconds, and a note is verified again when it is stored, published and reconciled.
const recallSigner = createRecentResults<Promise<Address | undefined>>()

/** Recovers the signer. Returns undefined if r and s are not a valid signature of any key. */
async function recoverNoteSigner(note: Note, domain: NoteDomain): Promise<Address | undefined> {
  const { r, s, v }: NoteSignature = note.signature
  try {
    const hash = hashNote(note, domain)
    const signature = { r, s, yParity: v - 27 }
    return await recallSigner(`${hash}:${r}:${s}:${v}`, () => recoverAddress({ hash, signature }))
  } catch {
    return undefined
  }
}
