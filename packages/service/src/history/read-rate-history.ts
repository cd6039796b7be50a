import { type HistoryDay, type HistoryRateResponse, historyDaysMax, newYorkDate, type Period } from '@tallystick/core'
import type { Database } from '@tallystick/database'
import { addDays, dateOfDay, dayNumber, formatRateCursor, type HistoryRateQuery, startOf } from './history-query.ts'
import { readLastPeriods, type StoredPeriod } from './history-store.ts'
import type { FloatingRates, ReadFloatingRates } from './read-floating-rates.ts'

export type RateHistory = {
  readonly response: HistoryRateResponse
  /** Whether an index failed, so that the same request may soon have another answer. */
  readonly isPartial: boolean
}

type Wanted = { readonly query: HistoryRateQuery; readonly current: Period }

/** Reads a page of rates by day: the last coupons of each New York day, and the floating rate of the same UTC day. */
export async function readRateHistory(
  { database, readFloatingRates }: { readonly database: Database; readonly readFloatingRates: ReadFloatingRates },
  { query, current }: Wanted,
): Promise<RateHistory> {
  const { chainIds, from, newest } = query
  const earliest = addDays(newest, 1 - historyDaysMax)
  const oldest = earliest > from ? earliest : from
  const [periods, floating] = await Promise.all([
    readLastPeriods(database, { chainIds, fromSeconds: startOf(oldest), lastStart: findLastStart(newest, current) }),
    Promise.all(
      chainIds.map((id) => readFloatingRates(id, { firstDay: dayNumber(oldest), lastDay: dayNumber(newest) })),
    ),
  ])
  const fixed = new Map(periods.map((period) => [`${period.chainId}:${newYorkDate(period.noteDay)}`, period]))
  const days: HistoryDay[] = []
  for (let number = dayNumber(newest); number >= dayNumber(oldest); number--) {
    for (const [index, chainId] of chainIds.entries()) {
      const period = fixed.get(`${chainId}:${dateOfDay(number)}`)
      const day = encodeDay({ chainId, number, period, floating: floating[index] as FloatingRates })
      if (day.fixedRates.length > 0 || day.floatingRate !== null) days.push(day)
    }
  }
  return {
    response: {
      message: `${days.length} ${days.length === 1 ? 'day' : 'days'}.`,
      days,
      nextCursor: oldest > from ? formatRateCursor(addDays(oldest, -1)) : null,
    },
    isPartial: floating.some((answer) => answer.problem !== undefined && answer.isTemporary),
  }
}

/** Returns the last second of a day, or the start of the current period if that is earlier. */
function findLastStart(newest: string, current: Period): bigint {
  const end = startOf(addDays(newest, 1)) - 1n
  return end < current.start ? end : current.start
}

type FoundDay = {
  readonly chainId: number
  readonly number: number
  readonly period: StoredPeriod | undefined
  readonly floating: FloatingRates
}

function encodeDay({ chainId, number, period, floating }: FoundDay): HistoryDay {
  const floatingRate = floating.rates?.get(number)?.toString() ?? null
  const coupons = period?.coupons ?? []
  return {
    chainid: String(chainId),
    day: dateOfDay(number),
    fixedRates: coupons.map(({ tenorDays, couponBps }) => ({ maturity: tenorDays, coupon: String(couponBps) })),
    floatingRate,
    floatingReason: floatingRate === null ? (floating.problem ?? notIndexed) : null,
  }
}

const notIndexed = 'The index has no floating income of this UTC day.'
