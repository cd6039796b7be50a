import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claimability, floatingAccumulator } from '../packages/client/src/index.ts'
import { annualisedFloatingRate } from '../packages/core/src/income/annualised-floating-rate.ts'

const text = readFileSync(new URL('../docs/income.md', import.meta.url), 'utf8')

/** Returns the cells of the table with the given head, without the head. */
function rowsOf(head: string): string[][] {
  const table = (text.split(`| ${head} |\n`)[1] as string).split('\n\n')[0] as string
  return table
    .split('\n')
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const secondsOf = (instant: string) => BigInt(Date.parse(instant) / 1000)
const dayOf = (date: string) => secondsOf(`${date}T00:00:00Z`) / 86_400n
const terms = Object.fromEntries(rowsOf('value | amount')) as Record<string, string>
const position = {
  principal: BigInt(terms['principal']!),
  coupon: BigInt(terms['coupon']!),
  partnerFeeBPS: BigInt(terms['partnerFeeBPS']!),
  lendTimestamp: secondsOf(terms['lend']!),
  maturityTimestamp: secondsOf(terms['maturity']!),
}
const days = rowsOf('UTC day | number | income | acc | rate in basis points').map(([date, day, income, acc, rate]) => ({
  ...{ date: date!, day: BigInt(day!), income: BigInt(income!), accFloatingIncome: BigInt(acc!), rate: BigInt(rate!) },
}))

function claimAfter(lastDay: bigint) {
  const reported = floatingAccumulator(days.filter(({ day }) => day <= lastDay))
  return claimability(position, { ...reported, now: position.maturityTimestamp })
}
const complete = claimAfter(dayOf('2026-11-09'))

test('default: the days of docs/income.md have their numbers, sums and rates', () => {
  expect(days).toHaveLength(9)
  for (const [index, { date, day, income, accFloatingIncome, rate }] of days.entries()) {
    expect(day).toBe(dayOf(date))
    expect(accFloatingIncome).toBe((days[index - 1]?.accFloatingIncome ?? 0n) + income)
    expect(rate).toBe(annualisedFloatingRate(income))
  }
})

test('default: the terms of the example are those of the formulas, and of the SDK', () => {
  const { principal, coupon, partnerFeeBPS, lendTimestamp, maturityTimestamp } = position
  const [lendDay, maturityDay] = [lendTimestamp / 86_400n, maturityTimestamp / 86_400n]
  const acc = (day: bigint) => days.find((one) => one.day === day)!.accFloatingIncome
  const earn = (difference: bigint, seconds: bigint) => (difference * principal * seconds) / 10n ** 25n
  const fixedSeconds = maturityTimestamp - lendTimestamp
  const fixed = (principal * coupon * fixedSeconds) / (10_000n * 31_104_000n)
  const lendSeconds = (lendDay + 1n) * 86_400n - lendTimestamp
  const maturitySeconds = maturityTimestamp - maturityDay * 86_400n
  const parts = [
    ['fixed', fixedSeconds, fixed],
    ['lend day', lendSeconds, earn(acc(lendDay) - acc(lendDay - 1n), lendSeconds)],
    ['days between', (maturityDay - lendDay - 1n) * 86_400n, earn(acc(maturityDay - 1n) - acc(lendDay), 86_400n)],
    ['maturity day', maturitySeconds, earn(acc(maturityDay) - acc(maturityDay - 1n), maturitySeconds)],
  ] as const
  const total = parts.reduce((sum, [, , amount]) => sum + amount, 0n)
  const fee = (total * partnerFeeBPS) / 10_000n
  expect(rowsOf('term | seconds | wei')).toEqual([
    ...parts.map(([name, seconds, amount]) => [name, String(seconds), String(amount)]),
    ['fee', '', String(fee)],
    ['net income', '', String(total - fee)],
  ])
  expect(complete.paidNow).toMatchObject({ fixed, total, fee, net: total - fee })
})

test('default: claims before the report of the maturity’s day pay and lose what the table says', () => {
  const rows = rowsOf('last reported | status | net income | lost | missing')
  expect(rows.map(([date]) => date)).toEqual(['2026-11-02', '2026-11-05', '2026-11-08', '2026-11-09'])
  expect(rows).toEqual(
    rows.map(([date]) => {
      const { status, paidNow, missingIncome } = claimAfter(dayOf(date!))
      const lost = complete.paidNow.net - paidNow.net
      return [date, status, ...[paidNow.net, lost, missingIncome].map(String)]
    }),
  )
})
