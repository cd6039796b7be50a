import type { Client, HistoryPeriod } from '@tallystick/client'
import { newYorkDate } from '@tallystick/ui'
import { expect, test } from 'vitest'
import { fetchLastPeriod } from './last-period.ts'

const evening = 1794610800n
const morning = 1794546000n
const monthsAgo = 1789963200n

/** Creates a client whose history has periods that begin at the given instants. Records its queries. */
function createHistory(starts: readonly bigint[]) {
  const queries: unknown[] = []
  const historyNotes: Client['historyNotes'] = async function* ({ chainId = 0, from = '' } = {}) {
    queries.push({ chainId, from })
    for (const periodStart of starts.filter((start) => newYorkDate(Number(start)) >= from))
      yield makePeriod(periodStart)
  }
  return { client: { historyNotes } as Client, queries }
}

function makePeriod(periodStart: bigint): HistoryPeriod {
  const coupons = [{ maturity: 7, maturityTimestamp: 0n, coupon: periodStart % 1000n }]
  return { chainId: 324, periodStart, periodEnd: periodStart + 21_600n, logIndex: null, coupons }
}

const find = (client: Client, before: bigint) =>
  fetchLastPeriod(client, { chainId: 324, before, signal: new AbortController().signal })

test('default: skips the current period, in one request of a few days', async () => {
  const { client, queries } = createHistory([evening, morning])
  expect(await find(client, evening)).toEqual({
    periodStart: morning,
    periodEnd: morning + 21_600n,
    coupons: new Map([[7, 0n]]),
  })
  expect(queries).toEqual([{ chainId: 324, from: '2026-11-06' }])
})

test('behavior: an older period is found by a second request', async () => {
  const { client, queries } = createHistory([evening, monthsAgo])
  expect((await find(client, evening))?.periodStart).toBe(monthsAgo)
  expect(queries).toHaveLength(2)
})

test('behavior: the first period of a service has none before it', async () => {
  const { client } = createHistory([evening])
  expect(await find(client, evening)).toBeUndefined()
})
