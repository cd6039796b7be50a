import { type Hex, parseSignature } from 'viem'

/** Signature of `signTypedData`, or its parts. */
export type PermitSignature = Hex | { readonly r: Hex; readonly s: Hex; readonly v: number }

/** Permit that lets the pool take the principal or the position, signed by the sender of the lend or claim. */
export type Permit = {
  readonly signature: PermitSignature
  /** Signed deadline, Unix seconds. */
  readonly deadline: bigint
}

/** Splits a signature for the contracts. `v` is always 27 or 28. */
export function splitPermit(signature: PermitSignature): { readonly v: number; readonly r: Hex; readonly s: Hex } {
  if (typeof signature === 'object') {
    const { r, s, v } = signature
    return { r, s, v: v < 27 ? v + 27 : v }
  }
  const { r, s, yParity } = parseSignature(signature)
  return { r, s, v: 27 + yParity }
}
