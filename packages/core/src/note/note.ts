import type { Address, Hex } from 'viem'

/** Terms of a note: the signed message and its chain. Timestamps are Unix seconds. */
export type NoteTerms = {
  readonly chainId: number
  readonly maturityTimestamp: bigint
  /** Basis points per 360-day year. */
  readonly coupon: bigint
  /** The chain accepts the note only while `validAfter < block.timestamp < validBefore`. */
  readonly validAfter: bigint
  readonly validBefore: bigint
}

/** Signature of a note. `r` and `s` are 32 bytes each, `s` is low, `v` is as `ecrecover` expects it. */
export type NoteSignature = { readonly r: Hex; readonly s: Hex; readonly v: 27 | 28 }

/** Signed note. */
export type Note = NoteTerms & {
  /** 00:00 New York of the note's day. */
  readonly startedAt: bigint
  readonly signature: NoteSignature
}

/** EIP-712 domain without the chain id, which is in the note. */
export type NoteDomain = { readonly name: string; readonly version: string; readonly verifyingContract: Address }

/** Status of a note at an instant. */
export type NoteStatus = 'not-yet-valid' | 'usable' | 'expired'

/**
 * Returns whether the pool would accept the note at an instant. Both ends of the window are excluded, as on the chain.
 *
 * @example
 * noteStatusAt({ validAfter: 99n, validBefore: 200n }, 200n) // 'expired'
 */
export function noteStatusAt(note: Pick<NoteTerms, 'validAfter' | 'validBefore'>, instantSeconds: bigint): NoteStatus {
  if (instantSeconds <= note.validAfter) return 'not-yet-valid'
  return instantSeconds < note.validBefore ? 'usable' : 'expired'
}
