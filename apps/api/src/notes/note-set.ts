import type { Note, Period } from '@tallystick/core'
import type { Address } from 'viem'

/** A note and the tenor it was made for. */
export type OfferedNote = Note & { readonly tenorDays: number }

/** All the notes of one chain for one period: signed together, stored together, published together. */
export type NoteSet = {
  readonly chainId: number
  readonly period: Period
  readonly signer: Address
  readonly curveId: bigint
  /** The service clock's reading when the set was signed, Unix seconds. */
  readonly issuedAt: bigint
  /** Ascending by maturity. */
  readonly notes: readonly OfferedNote[]
}
