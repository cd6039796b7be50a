import type { OfferedNote, RateAnswer } from '@tallystick/client'
import type { LastCoupons } from './last-period.ts'

/** A note on offer, with everything that is shown beside it. */
export type Offer = {
  readonly note: OfferedNote
  readonly tenorDays: number
  /** Coupon now less coupon in the last period, in basis points; undefined where there is nothing to compare with. */
  readonly move: bigint | undefined
  readonly lastCoupon: bigint | undefined
  /** Fixed and floating together; undefined while the floating rate is not known. */
  readonly marketRate: bigint | undefined
}

/** The notes of one chain as they are shown, by maturity. */
export function listOffers(
  notes: readonly OfferedNote[],
  {
    chainId,
    last,
    rate,
  }: {
    readonly chainId: number
    readonly last: LastCoupons | undefined
    readonly rate: RateAnswer | undefined
  },
): readonly Offer[] {
  const floatingRate = rate?.chains.find((chain) => chain.chainId === chainId)?.floatingRate ?? undefined
  return notes
    .filter((note) => note.chainId === chainId)
    .toSorted((a, b) => Number(a.maturityTimestamp - b.maturityTimestamp))
    .map((note) => {
      const tenorDays = tenorOf(note)
      const lastCoupon = last?.coupons.get(tenorDays)
      return {
        note,
        tenorDays,
        lastCoupon,
        move: lastCoupon === undefined ? undefined : note.coupon - lastCoupon,
        marketRate: floatingRate === undefined ? undefined : note.coupon + floatingRate,
      }
    })
}

/** From midnight to midnight in New York; a day of 23 or 25 hours in between does not change their number. */
function tenorOf({ maturityTimestamp, startedAt }: OfferedNote): number {
  return Math.round(Number(maturityTimestamp - startedAt) / 86_400)
}
