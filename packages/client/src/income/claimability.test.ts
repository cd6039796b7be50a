import { expect, test } from 'vitest'
import { claimability } from './claimability.ts'
import { expectedIncome } from './expected-income.ts'

const lendDay = 20_500n
const secondsPerDay = 86_400n
/** Lent at 15:00 UTC for seven days, matures at 05:00 UTC, as 00:00 New York in winter is. */
const position = {
  principal: 1000n * 10n ** 18n,
  coupon: 400n,
  partnerFeeBPS: 1_000n,
  lendTimestamp: lendDay * secondsPerDay + 54_000n,
  maturityTimestamp: (lendDay + 7n) * secondsPerDay + 18_000n,
}
const maturityDay = lendDay + 7n
const daily = 4n * 10n ** 16n

function reportedUntil(lastUpdatedDay: bigint, now = position.maturityTimestamp) {
  const accFloatingIncome = (day: bigint) => {
    // The pool has no sum of a day that is not reported.
    expect(day).toBeLessThanOrEqual(lastUpdatedDay)
    return day < lendDay - 1n ? 0n : (day - lendDay + 2n) * daily
  }
  return { now, lastUpdatedDay, accFloatingIncome }
}

const earn = (seconds: bigint) => (daily * position.principal * seconds) / 10n ** 25n
const net = (income: bigint) => income - (income * position.partnerFeeBPS) / 10_000n

test('default: complete from the report of the maturity’s UTC day on, and then the same for ever', () => {
  const complete = claimability(position, reportedUntil(maturityDay))
  expect(complete).toMatchObject({ status: 'complete', lastReportedDay: maturityDay, maturityDay, missingIncome: 0n })
  const { fixed, floating, total, fee } = complete.paidNow
  expect(floating).toBe(earn(32_400n) + earn(6n * secondsPerDay) + earn(18_000n))
  expect([total, fee, complete.paidNow.net]).toEqual([fixed + floating, total - net(total), net(total)])
  expect(complete.expectedAfter).toBe(complete.paidNow)
  expect(claimability(position, reportedUntil(maturityDay + 30n)).paidNow).toEqual(complete.paidNow)
})

test('behavior: a day before, the seconds of the maturity’s own day are missing', () => {
  const early = claimability(position, reportedUntil(maturityDay - 1n))
  const complete = claimability(position, reportedUntil(maturityDay))
  expect(early.status).toBe('income_not_reported')
  expect(early.paidNow.floating).toBe(complete.paidNow.floating - earn(18_000n))
  // The rate did not change, so that the estimate is what is paid later.
  expect(early.expectedAfter).toEqual(complete.paidNow)
  expect(early.missingIncome).toBe(complete.paidNow.net - early.paidNow.net)
})

test.each([
  ['some days', lendDay + 2n, earn(32_400n) + earn(2n * secondsPerDay)],
  ['only the day of the lend', lendDay, earn(32_400n)],
  ['the day before the lend', lendDay - 1n, 0n],
  ['no day of the last month', lendDay - 30n, 0n],
  ['no day at all', 0n, 0n],
])(
  'behavior: if %s is reported, the rest is estimated at the rate of the last reported day',
  (_, lastDay, floating) => {
    const found = claimability(position, reportedUntil(lastDay))
    expect(found).toMatchObject({ status: 'income_not_reported', lastReportedDay: lastDay })
    expect(found.paidNow.floating).toBe(floating)
    const rateIsKnown = lastDay >= lendDay - 1n
    const complete = claimability(position, reportedUntil(maturityDay)).paidNow
    expect(found.expectedAfter.floating).toBe(rateIsKnown ? complete.floating : 0n)
    expect(found.missingIncome).toBe(found.expectedAfter.net - found.paidNow.net)
  },
)

test('behavior: before the maturity it cannot be claimed, and from its second on it can', () => {
  const now = position.maturityTimestamp
  expect(claimability(position, reportedUntil(maturityDay - 1n, now - 1n)).status).toBe('not_matured')
  expect(claimability(position, reportedUntil(maturityDay - 1n, now)).status).toBe('income_not_reported')
  // A clock that is behind the chain: a day is reported only when it is over.
  expect(claimability(position, reportedUntil(maturityDay, now - 1n)).status).toBe('complete')
})

test('behavior: the report is usually there at the end of the maturity’s UTC day, also for a maturity at 00:00 UTC', () => {
  const midnight = maturityDay * secondsPerDay
  const completeFrom = (maturityDay + 1n) * secondsPerDay
  for (const maturityTimestamp of [midnight, midnight + 1n, completeFrom - 1n]) {
    const terms = { ...position, maturityTimestamp }
    expect(claimability(terms, reportedUntil(maturityDay - 1n, completeFrom)).status).toBe('income_not_reported')
    expect(claimability(terms, reportedUntil(maturityDay, completeFrom))).toMatchObject({
      status: 'complete',
      completeFrom,
    })
    expect(expectedIncome(terms, terms).holdsFrom).toBe(completeFrom)
  }
})
