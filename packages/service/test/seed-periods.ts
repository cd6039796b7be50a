import { maturityOf, type Period } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'

/** Stores sets of past periods without signing them. The signatures are zero: no response contains them. */
export async function seedPeriods(
  database: Queryable,
  {
    chainIds,
    periods,
    coupons,
    logIndex = () => null,
  }: {
    readonly chainIds: readonly number[]
    readonly periods: readonly Period[]
    /** Basis points by tenor. */
    readonly coupons: (period: Period, chainId: number) => Readonly<Record<number, number>>
    readonly logIndex?: (period: Period, chainId: number) => number | null
  },
): Promise<void> {
  const [curve] = await database.query<{ id: bigint }>(
    `insert into curves (chain_id, effective_from, points, confirmed, source, created_by, created_at)
     values (null, 1, '{}', true, 'manual', 'test', 1) returning id`,
  )
  const sets = periods.flatMap((period) => chainIds.map((chainId) => ({ period, chainId })))
  const setRows = sets.map(({ period, chainId }) => ({
    ...{ chain_id: chainId, period_start: `${period.start}`, period_end: `${period.end}` },
    ...{ note_day: `${period.noteDay}`, log_index: logIndex(period, chainId) },
  }))
  await database.query(
    `insert into note_sets (chain_id, period_start, period_end, note_day, signer, curve_id, issued_at, log_index)
     select chain_id, period_start, period_end, note_day, '0x', $2, period_start, log_index
     from json_to_recordset($1::json) as row
       (chain_id bigint, period_start bigint, period_end bigint, note_day bigint, log_index bigint)`,
    [JSON.stringify(setRows), curve?.id],
  )
  const noteRows = sets.flatMap(({ period, chainId }) =>
    Object.entries(coupons(period, chainId)).map(([tenor, coupon]) => ({
      ...{ chain_id: chainId, period_start: `${period.start}`, tenor_days: Number(tenor), coupon_bps: coupon },
      maturity: `${maturityOf({ noteDay: period.noteDay, tenorDays: Number(tenor) })}`,
    })),
  )
  await database.query(
    `insert into notes (chain_id, period_start, maturity, tenor_days, coupon_bps, valid_after, valid_before, r, s, v)
     select chain_id, period_start, maturity, tenor_days, coupon_bps, 0, 0, '0x', '0x', 27
     from json_to_recordset($1::json) as row
       (chain_id bigint, period_start bigint, maturity bigint, tenor_days int, coupon_bps int)`,
    [JSON.stringify(noteRows)],
  )
}
