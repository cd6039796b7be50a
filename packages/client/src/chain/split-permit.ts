import { type Hex, parseSignature } from 'viem'

/** A signature whole, as `signTypedData` gives it, or in its parts. */
export type PermitSignature = Hex | { readonly r: Hex; readonly s: Hex; readonly v: number }

/** The parts as the contracts take them: `v` is 27 or 28, whichever way the signer wrote it. */
export function splitPermit(signature: PermitSignature): { readonly v: number; readonly r: Hex; readonly s: Hex } {
  if (typeof signature === 'object') {
    const { r, s, v } = signature
    return { r, s, v: v < 27 ? v + 27 : v }
  }
  const { r, s, yParity } = parseSignature(signature)
  return { r, s, v: 27 + yParity }
}
