import type { Client, HistoryPeriod } from '@tallystick/client'
import { addDays, newYorkDate } from '@tallystick/ui'

/** Coupons of a chain by tenor in days, of the last period that had notes. */
export type LastCoupons = {
  readonly periodStart: bigint
  readonly periodEnd: bigint
  readonly coupons: ReadonlyMap<number, bigint>
}

type Query = {
  readonly chainId: number
  /** Start of the current period. */
  readonly before: bigint
  readonly signal: AbortSignal
}

// The last period is usually the one before. Without a first day, a page of history has 1,000 periods.
const recentDays = 7

/** Returns the coupons of the last earlier period with notes, or undefined if there is none. */
export async function fetchLastPeriod(
  client: Client,
  { chainId, before, signal }: Query,
): Promise<LastCoupons | undefined> {
  const from = addDays(newYorkDate(Number(before)), -recentDays)
  const last =
    (await findBefore(client.historyNotes({ chainId, from, signal }), before)) ??
    (await findBefore(client.historyNotes({ chainId, signal }), before))
  if (!last) return undefined
  const { periodStart, periodEnd, coupons } = last
  return { periodStart, periodEnd, coupons: new Map(coupons.map(({ maturity, coupon }) => [maturity, coupon])) }
}

async function findBefore(periods: AsyncIterable<HistoryPeriod>, start: bigint): Promise<HistoryPeriod | undefined> {
  for await (const period of periods) if (period.periodStart < start) return period
  return undefined
}
