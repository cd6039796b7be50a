import type { Address, Hex } from 'viem'

/** What the chain sees of a note: the signed message and the chain it is signed for. Timestamps are Unix seconds. */
export type NoteTerms = {
  readonly chainId: number
  readonly maturityTimestamp: bigint
  /** Basis points per 360-day year. */
  readonly coupon: bigint
  /** The chain accepts the note only while `validAfter < block.timestamp < validBefore`. */
  readonly validAfter: bigint
  readonly validBefore: bigint
}

/** `r` and `s` are always 32 bytes, `s` is the low one, `v` is what plain `ecrecover` takes. */
export type NoteSignature = { readonly r: Hex; readonly s: Hex; readonly v: 27 | 28 }

/** A signed note. */
export type Note = NoteTerms & {
  /** 00:00 New York of the day the note belongs to. */
  readonly startedAt: bigint
  readonly signature: NoteSignature
}

/** The EIP-712 domain without its chain, which every note carries itself. */
export type NoteDomain = { readonly name: string; readonly version: string; readonly verifyingContract: Address }

/** What the pool would say of a note at an instant. */
export type NoteStatus = 'not-yet-valid' | 'usable' | 'expired'

/**
 * Whether the pool would take the note at an instant. Both ends of the window are excluded, as on the chain.
 *
 * @example
 * noteStatusAt({ validAfter: 99n, validBefore: 200n }, 200n) // 'expired'
 */
export function noteStatusAt(note: Pick<NoteTerms, 'validAfter' | 'validBefore'>, instantSeconds: bigint): NoteStatus {
  if (instantSeconds <= note.validAfter) return 'not-yet-valid'
  return instantSeconds < note.validBefore ? 'usable' : 'expired'
}
