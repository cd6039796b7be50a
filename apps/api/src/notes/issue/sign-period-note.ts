import { maturityOf, type Note, type Period } from '@tallystick/core'
import type { ChainConfig } from '../../config.ts'
import { signNote } from '../signers/sign-note.ts'
import type { Signer } from '../signers/signer.ts'

export type PeriodNote = {
  readonly chain: Pick<ChainConfig, 'id' | 'domain'>
  readonly period: Period
  readonly tenorDays: number
  readonly couponBps: number
}

/** Signs and proves the note of one tenor for a period: usable in exactly the period's seconds. */
export function signPeriodNote(signer: Signer, note: PeriodNote): Promise<Note> {
  return signNote(signer, { terms: periodNoteTerms(note), domain: note.chain.domain })
}

/** Returns the terms of the note of one tenor for a period. */
export function periodNoteTerms({ chain, period, tenorDays, couponBps }: PeriodNote) {
  return {
    chainId: chain.id,
    maturityTimestamp: maturityOf({ noteDay: period.noteDay, tenorDays }),
    coupon: BigInt(couponBps),
    startedAt: period.noteDay,
    // The chain's comparison excludes both ends, so these two make the note usable in the period's seconds exactly.
    validAfter: period.start - 1n,
    validBefore: period.end,
  }
}
