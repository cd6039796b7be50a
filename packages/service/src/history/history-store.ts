import { createAbort } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { Database, Migration } from '@tallystick/database'
import type { HistoryNotesQuery, NotesCursor } from './history-query.ts'

/** Coupons of one chain in one period. */
export type StoredPeriod = {
  readonly chainId: number
  readonly periodStart: bigint
  readonly periodEnd: bigint
  /** 00:00 New York of the period's day. */
  readonly noteDay: bigint
  readonly logIndex: number | null
  /** Ascending by maturity. */
  readonly coupons: readonly {
    readonly tenorDays: number
    readonly maturityTimestamp: bigint
    readonly couponBps: number
  }[]
}

// The primary key starts with the chain. Pages of all chains are sorted by period.
export const historyMigrations: readonly Migration[] = [
  {
    name: 'history',
    statements: ['create index note_sets_by_period on note_sets (period_start desc, chain_id)'],
  },
]

// A page takes milliseconds. One that takes this long is cancelled, so that a slow database is not queried without end.
const timeoutMs = 5_000

const columns = `chain_id, period_start, period_end, note_day, log_index`
const couponsOf = (page: string) => `
  select ${columns}, maturity, tenor_days, coupon_bps from (${page}) page join notes using (chain_id, period_start)`

// With a public log, a set is served when a signed checkpoint covers its entry. So it is visible here.
const isPublished = '(log_index is null or log_index < (select coalesce(max(size), 0) from log_checkpoints))'

const notesPage = `${couponsOf(`
  select ${columns} from note_sets
  where chain_id = any($1::bigint[]) and period_start >= $2 and period_start <= $3
    and (period_start < $3 or chain_id > $4) and ${isPublished}
    and ($5::int[] is null or exists (
      select from notes where notes.chain_id = note_sets.chain_id and notes.period_start = note_sets.period_start
        and tenor_days = any($5)))
  order by period_start desc, chain_id limit $6`)}
  where $5::int[] is null or tenor_days = any($5)
  order by period_start desc, chain_id, maturity`

/**
 * Reads periods of a query, newest first, then ascending by chain: one more than `limit` if there are more. Everything up
 * to `after` is left out.
 */
export function readPeriods(
  database: Database,
  { query, after }: { readonly query: HistoryNotesQuery; readonly after: NotesCursor },
): Promise<StoredPeriod[]> {
  const { chainIds, tenors = null, fromSeconds, limit } = query
  const place = [after.periodStart, after.chainId]
  return read(database, notesPage, [chainIds.map(String), fromSeconds, ...place, tenors, limit + 1])
}

const daysPage = couponsOf(`
  select distinct on (chain_id, note_day) ${columns} from note_sets
  where chain_id = any($1::bigint[]) and period_start >= $2 and period_start <= $3 and ${isPublished}
  order by chain_id, note_day, period_start desc`)

type DayRange = { readonly chainIds: readonly number[]; readonly fromSeconds: bigint; readonly lastStart: bigint }

/** Reads the last period of each day in a range that started by `lastStart`. */
export function readLastPeriods(
  database: Database,
  { chainIds, fromSeconds, lastStart }: DayRange,
): Promise<StoredPeriod[]> {
  const text = `${daysPage} order by period_start desc, chain_id, maturity`
  return read(database, text, [chainIds.map(String), fromSeconds, lastStart])
}

type CouponRow = {
  readonly chain_id: bigint
  readonly period_start: bigint
  readonly period_end: bigint
  readonly note_day: bigint
  readonly log_index: bigint | null
  readonly maturity: bigint
  readonly tenor_days: number
  readonly coupon_bps: number
}

async function read(database: Database, text: string, parameters: readonly unknown[]): Promise<StoredPeriod[]> {
  const { signal, abort } = createAbort()
  const timer = setTimeout(() => abort(tooSlow()), timeoutMs)
  try {
    return groupRows(await database.read<CouponRow>(text, parameters, { isFrequent: true, signal }))
  } finally {
    clearTimeout(timer)
  }
}

function tooSlow(): TallystickError {
  const message = `The database did not return a page of the history within ${timeoutMs / 1000} s.`
  return new TallystickError({ code: 'database_unavailable', message, retryable: true })
}

/** Groups sorted rows by their period. */
function groupRows(rows: readonly CouponRow[]): StoredPeriod[] {
  const periods: (StoredPeriod & { readonly coupons: StoredPeriod['coupons'][number][] })[] = []
  for (const row of rows) {
    const chainId = Number(row.chain_id)
    let period = periods.at(-1)
    if (period?.chainId !== chainId || period.periodStart !== row.period_start) {
      const logIndex = row.log_index === null ? null : Number(row.log_index)
      const times = { periodStart: row.period_start, periodEnd: row.period_end, noteDay: row.note_day }
      period = { chainId, ...times, logIndex, coupons: [] }
      periods.push(period)
    }
    period.coupons.push({ tenorDays: row.tenor_days, maturityTimestamp: row.maturity, couponBps: row.coupon_bps })
  }
  return periods
}
