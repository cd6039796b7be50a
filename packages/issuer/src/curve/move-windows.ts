import type { Queryable } from '@tallystick/database'
import type { RailSettings } from '../settings.ts'

/** The coupons of a time window before a period, and the limit of the next coupon's distance from each of them. */
export type MoveWindow = {
  /** For messages: "24 hours". */
  readonly name: string
  readonly rail: string
  readonly maxMoveBps: number
  /** Lowest and highest coupon in the window, by tenor in days. */
  readonly coupons: ReadonlyMap<number, { readonly lowestBps: number; readonly highestBps: number }>
}

export type MoveWindowsOptions = {
  readonly chainId: number
  readonly beforeStart: bigint
  readonly limits: Pick<RailSettings, 'maxMoveBpsPerDay' | 'maxMoveBpsPerWeek'>
}

const daySeconds = 86_400n

/**
 * Reads the coupons of a chain in the day and in the week before a period. Ignores coupons from before the last confirmed
 * curve: the operator accepted the move away from them.
 */
export async function readMoveWindows(
  database: Queryable,
  { chainId, beforeStart, limits }: MoveWindowsOptions,
): Promise<readonly MoveWindow[]> {
  const windows = [
    { name: '24 hours', rail: 'rails.maxMoveBpsPerDay', maxMoveBps: limits.maxMoveBpsPerDay, seconds: daySeconds },
    { name: '7 days', rail: 'rails.maxMoveBpsPerWeek', maxMoveBps: limits.maxMoveBpsPerWeek, seconds: 7n * daySeconds },
  ]
  const read: MoveWindow[] = []
  for (const { seconds, ...window } of windows) {
    const rows = await database.query<CouponRow>(couponsInWindow, [chainId, beforeStart, beforeStart - seconds])
    read.push({ ...window, coupons: new Map(rows.map(({ tenorDays, ...range }) => [tenorDays, range])) })
  }
  return read
}

type CouponRow = { readonly tenorDays: number; readonly lowestBps: number; readonly highestBps: number }

const couponsInWindow = `
  with confirmed as (
    select note_sets.curve_id from note_sets join curves on curves.id = note_sets.curve_id
    where note_sets.chain_id = $1 and note_sets.period_start < $2 and curves.confirmed
    order by note_sets.period_start desc limit 1)
  select tenor_days as "tenorDays", min(coupon_bps) as "lowestBps", max(coupon_bps) as "highestBps"
  from notes join note_sets using (chain_id, period_start)
  where chain_id = $1 and period_start < $2 and period_end > $3
    and period_start >= coalesce(
      (select min(period_start) from note_sets where chain_id = $1 and curve_id = (select curve_id from confirmed)), 0)
  group by tenor_days`
