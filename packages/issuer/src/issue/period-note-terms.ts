import { maturityOf, type Period } from '@tallystick/core'
import type { IssuerChain } from '../settings.ts'

type PeriodNote = {
  readonly chain: Pick<IssuerChain, 'id'>
  readonly period: Period
  readonly tenorDays: number
  readonly couponBps: number
}

/** Returns the terms of the note of one tenor for a period. */
export function periodNoteTerms({ chain, period, tenorDays, couponBps }: PeriodNote) {
  return {
    chainId: chain.id,
    maturityTimestamp: maturityOf({ noteDay: period.noteDay, tenorDays }),
    coupon: BigInt(couponBps),
    startedAt: period.noteDay,
    // The contract excludes both ends, so the note is valid in exactly the period's seconds.
    validAfter: period.start - 1n,
    validBefore: period.end,
  }
}
