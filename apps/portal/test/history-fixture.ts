import { type HistoryNotesResponse, type HistoryPeriod, newYorkInstant, periodAfter, periodAt } from '@tallystick/core'
import type { Page } from 'playwright-core'

type Coupons = Readonly<Record<number, number>>

/** Returns the periods of New York days as `GET /history/notes` has them, newest first. `couponsOf` may leave out a period. */
export function makeHistory(
  { from, days }: { readonly from: string; readonly days: number },
  couponsOf: (index: number) => Coupons | undefined = () => ({ 7: 369 }),
): readonly HistoryPeriod[] {
  const periods: HistoryPeriod[] = []
  let period = periodAt(newYorkInstant({ date: from, time: '00:00' }))
  for (let index = 0; index < 2 * days; index++) {
    const coupons = couponsOf(index)
    if (coupons) {
      periods.unshift({
        chainid: '324',
        period_start: String(period.start),
        period_end: String(period.end),
        logIndex: index,
        coupons: Object.entries(coupons).map(([maturity, coupon]) => ({
          maturity: Number(maturity),
          maturity_timestamp: String(period.noteDay + BigInt(maturity) * 86_400n),
          coupon: String(coupon),
        })),
      })
    }
    period = periodAfter(period)
  }
  return periods
}

/** Answers the page's requests for the history of notes, in pages of 1,000 periods. Returns the queries it sent. */
export async function answerHistory(
  page: Page,
  periods: readonly HistoryPeriod[],
): Promise<readonly URLSearchParams[]> {
  const queries: URLSearchParams[] = []
  await page.route('**/history/notes?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    queries.push(query)
    const start = Number(query.get('cursor') ?? 0)
    const isLast = start + 1000 >= periods.length
    const json: HistoryNotesResponse = {
      message: '',
      periods: periods.slice(start, start + 1000),
      nextCursor: isLast ? null : String(start + 1000),
    }
    return route.fulfill({ json })
  })
  return queries
}
