import type { Note, Period } from '@tallystick/core'
import type { Address } from 'viem'

/** Chain and start of the period of a set. */
export type SetKey = { readonly chainId: number; readonly periodStart: bigint }

/** Entries of the public log, from an index up to, but not including, another. */
export type LogRange = { readonly from: number; readonly to: number }

/** A note with its tenor. */
type OfferedNote = Note & { readonly tenorDays: number }

/** All notes of one chain and period. They are signed, stored and published together. */
export type NoteSet = {
  readonly chainId: number
  readonly period: Period
  readonly signer: Address
  readonly curveId: bigint
  /** Service clock at signing, Unix seconds. */
  readonly issuedAt: bigint
  /** Ascending by maturity. */
  readonly notes: readonly OfferedNote[]
  /** Index of its entry in the public log; undefined if it is not logged. */
  readonly logIndex?: number | undefined
  /** Place in the public log, once a checkpoint of this size is signed that covers the entry. */
  readonly log?: { readonly index: number; readonly size: number } | undefined
}
