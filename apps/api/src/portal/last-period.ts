import { periodAt } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { toSeconds } from '../clock.ts'
import { findLastNoteSet } from '../notes/note-store.ts'

/**
 * Coupons of the last earlier period that had notes. The page shows the change since then. It contains no signatures,
 * because those notes have expired.
 */
export type LastPeriod = {
  readonly message: string
  readonly data: readonly {
    readonly chainid: string
    /** Unix seconds. */
    readonly period_start: string
    readonly period_end: string
    /** `maturity` is the tenor in days, `coupon` is in basis points per 360-day year. */
    readonly coupons: readonly { readonly maturity: number; readonly coupon: string }[]
  }[]
}

export type ReadLastPeriod = (nowMs: number) => Promise<LastPeriod>

/** Creates the function that reads the last period. It queries the database once per period, because past coupons do not change. */
export function createReadLastPeriod(database: Queryable, chainIds: readonly number[]): ReadLastPeriod {
  let known: { readonly periodStart: bigint; readonly answer: LastPeriod } | undefined
  return async (nowMs) => {
    const { start: periodStart } = periodAt(toSeconds(nowMs))
    if (known?.periodStart === periodStart) return known.answer
    const answer = await readLastPeriod(database, { chainIds, periodStart })
    known = { periodStart, answer }
    return answer
  }
}

async function readLastPeriod(
  database: Queryable,
  { chainIds, periodStart }: { readonly chainIds: readonly number[]; readonly periodStart: bigint },
): Promise<LastPeriod> {
  const sets = await Promise.all(
    chainIds.map((chainId) => findLastNoteSet(database, { chainId, beforeStart: periodStart })),
  )
  const data = sets.flatMap((set) => {
    if (!set) return []
    return {
      chainid: String(set.chainId),
      period_start: set.period.start.toString(),
      period_end: set.period.end.toString(),
      coupons: set.notes.map(({ tenorDays, coupon }) => ({ maturity: tenorDays, coupon: coupon.toString() })),
    }
  })
  return { message: 'Coupons of the last period that had notes. These notes have expired.', data }
}
