import { type HistoryNotesResponse, type Period, periodAt } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { formatNotesCursor, type HistoryNotesQuery, type NotesCursor } from './history-query.ts'
import { readPeriods, type StoredPeriod } from './history-store.ts'

export type NotesHistory = {
  readonly response: HistoryNotesResponse
  /** Whether the page is the same for ever. */
  readonly isFinal: boolean
}

// `notes reconcile` restores the sets of the last 8 days from the journal. Before that nothing changes.
const restorableSeconds = 8n * 86_400n

/** Reads a page of coupons by period. A set is stored before its period, so periods after the current one are left out. */
export async function readNotesHistory(
  database: Database,
  { query, current }: { readonly query: HistoryNotesQuery; readonly current: Period },
): Promise<NotesHistory> {
  const after = findPlace(query, current)
  const found = await readPeriods(database, { query, after })
  const periods = found.slice(0, query.limit)
  const last = found.length > query.limit ? periods.at(-1) : undefined
  return {
    response: {
      message: `${periods.length} ${periods.length === 1 ? 'period' : 'periods'}.`,
      periods: periods.map(encodePeriod),
      nextCursor: last ? formatNotesCursor(last) : null,
    },
    isFinal: periodAt(after.periodStart).end <= current.start - restorableSeconds,
  }
}

/** Returns where the page begins: the earliest of the cursor, the end of the range and the current period. */
function findPlace({ beforeSeconds, cursor }: HistoryNotesQuery, current: Period): NotesCursor {
  const isPast = beforeSeconds !== undefined && beforeSeconds <= current.start
  const newest = isPast ? beforeSeconds - 1n : current.start
  return cursor && cursor.periodStart <= newest ? cursor : { periodStart: newest, chainId: 0 }
}

function encodePeriod(period: StoredPeriod): HistoryNotesResponse['periods'][number] {
  return {
    chainid: String(period.chainId),
    period_start: period.periodStart.toString(),
    period_end: period.periodEnd.toString(),
    logIndex: period.logIndex,
    coupons: period.coupons.map(({ tenorDays, maturityTimestamp, couponBps }) => ({
      maturity: tenorDays,
      maturity_timestamp: maturityTimestamp.toString(),
      coupon: String(couponBps),
    })),
  }
}
