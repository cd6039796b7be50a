import type { Queryable } from '@tallystick/database'
import type { Curve } from '../curve/curve.ts'
import type { NoteSet } from '../note-set.ts'
import type { IssueResult, Refusal } from '../refusal.ts'
import type { IssuerChain } from '../settings.ts'

/** Records what is signed before it is served, for example in a public log. */
export type Recorder = {
  /** Records a curve unless it is recorded. Returns why nothing may be signed from it, or undefined. Call it before the signer. */
  findRefusal(curve: Curve): Promise<Refusal | undefined>
  /** Records a set in the transaction that stores it. */
  record(transaction: Queryable, recorded: { readonly set: NoteSet; readonly chain: IssuerChain }): Promise<void>
  /** Records a stored set unless it is recorded, and waits until the record is signed. Returns it with its place. */
  cover(set: NoteSet, chain: IssuerChain): Promise<IssueResult>
}
