import type { OfferedNote } from '@tallystick/client'
import type { LastCoupons } from './last-period.ts'

/** Note on offer, with the rates shown next to it. */
export type Offer = OfferedNote & {
  /** Coupon minus the last period's coupon, in bps. Undefined if the last period had no such note. */
  readonly move: bigint | undefined
  readonly lastCoupon: bigint | undefined
  /** Coupon plus floating rate, in bps. Undefined while the floating rate is unknown. */
  readonly marketRate: bigint | undefined
}

type Rates = {
  readonly chainId: number
  readonly last: LastCoupons | undefined
  readonly floatingRate: bigint | undefined
}

/** Returns the offers of one chain, by maturity. */
export function listOffers(notes: readonly OfferedNote[], { chainId, last, floatingRate }: Rates): readonly Offer[] {
  return listNotesOf(notes, chainId).map((note) => {
    const lastCoupon = last?.coupons.get(note.tenorDays)
    return {
      ...note,
      lastCoupon,
      move: lastCoupon === undefined ? undefined : note.coupon - lastCoupon,
      marketRate: floatingRate === undefined ? undefined : note.coupon + floatingRate,
    }
  })
}

/** Returns the notes of a chain, by maturity. */
export function listNotesOf(notes: readonly OfferedNote[], chainId: number): readonly OfferedNote[] {
  return notes
    .filter((note) => note.chainId === chainId)
    .toSorted((a, b) => Number(a.maturityTimestamp - b.maturityTimestamp))
}

/** Returns the item of a tenor, or else that of 30 days, or else the middle one. */
export function chooseTenor<Item extends { readonly tenorDays: number }>(
  items: readonly Item[],
  tenorDays: number | undefined,
): Item | undefined {
  const find = (days: number | undefined) => items.find((item) => item.tenorDays === days)
  return find(tenorDays) ?? find(30) ?? items[Math.floor(items.length / 2)]
}
