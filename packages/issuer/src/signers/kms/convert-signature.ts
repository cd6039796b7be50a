import { type Address, type Hex, isAddressEqual, recoverAddress, toHex } from 'viem'
import { SignerError } from '../signer.ts'
import { parseDerSignature, secp256k1Order } from './parse-der-signature.ts'

/** Recovers the signer of a digest. Rejects if no key could have made the signature. */
export type Recover = (options: {
  readonly hash: Hex
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly yParity: number }
}) => Promise<Address>

export type DerSignature = {
  readonly der: Uint8Array
  /** The 32 bytes that were signed. */
  readonly digest: Hex
  /** Address of the KMS key. */
  readonly address: Address
}

/**
 * Converts the signature of a KMS to the 65 bytes r, s, v of `ecrecover`. A KMS returns s in either half of the order and
 * no recovery id: a high s becomes n − s (EIP-2), and the ids 0 and 1 are tried. Throws `SignerError` if neither gives the
 * address. `recover` is another implementation for tests over many signatures.
 */
export async function convertSignature(
  { der, digest, address }: DerSignature,
  recover: Recover = recoverAddress,
): Promise<Hex> {
  const parsed = parseDerSignature(der)
  const lowS = parsed.s > secp256k1Order / 2n ? secp256k1Order - parsed.s : parsed.s
  const r = toHex(parsed.r, { size: 32 })
  const s = toHex(lowS, { size: 32 })
  for (const yParity of [0, 1]) {
    const recovered = await recover({ hash: digest, signature: { r, s, yParity } }).catch(() => undefined)
    if (recovered && isAddressEqual(recovered, address))
      return `${r}${s.slice(2)}${toHex(27 + yParity).slice(2)}` as Hex
  }
  throw new SignerError({
    failure: 'wrong_key',
    message: `The KMS returned a signature by another key than that of ${address}. Nothing was published. Check the KMS key and signer.address.`,
  })
}
