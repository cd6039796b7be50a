import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { annualisedFloatingRate } from './annualised-floating-rate.ts'
import { fixedIncome } from './fixed-income.ts'
import { floatingIncome } from './floating-income.ts'
import { partnerFee } from './partner-fee.ts'

type FloatingCase = Record<
  'why' | 'principal' | 'lendTimestamp' | 'maturityTimestamp' | 'instant' | 'lastUpdatedDay' | 'income',
  string
> & { acc: Record<string, string> }
const vectors = JSON.parse(readFileSync(new URL('../../vectors/income.json', import.meta.url), 'utf8'))

const position = {
  principal: 1000n * 10n ** 18n,
  coupon: 401n,
  lendTimestamp: 1737522000n,
  maturityTimestamp: 1739314800n,
}

describe('published vectors', () => {
  test.each(vectors.fixed as Record<string, string>[])('fixed income $income', (vector) => {
    const terms = {
      principal: BigInt(vector['principal']!),
      coupon: BigInt(vector['coupon']!),
      lendTimestamp: BigInt(vector['lendTimestamp']!),
      maturityTimestamp: BigInt(vector['maturityTimestamp']!),
    }
    expect(fixedIncome(terms, terms.maturityTimestamp)).toBe(BigInt(vector['income']!))
  })

  test.each(vectors.annualisedFloatingRates as Record<string, string>[])('$percent % a year', (vector) => {
    const thousandth = annualisedFloatingRate(BigInt(vector['floatingIncome']!) * 10n)
    expect(thousandth).toBe(BigInt(vector['percent']!.replace('.', '')))
  })

  test.each(vectors.floating as FloatingCase[])('floating income: $why', (vector) => {
    const terms = {
      principal: BigInt(vector.principal),
      lendTimestamp: BigInt(vector.lendTimestamp),
      maturityTimestamp: BigInt(vector.maturityTimestamp),
    }
    const income = floatingIncome(terms, {
      instantSeconds: BigInt(vector.instant),
      lastUpdatedDay: BigInt(vector.lastUpdatedDay),
      accFloatingIncome: (day) => BigInt(vector.acc[`${day}`] ?? 0),
    })
    expect(income).toBe(BigInt(vector.income))
  })
})

test('behavior: the rate in whole basis points is rounded down', () => {
  expect(annualisedFloatingRate(40654777192457711n)).toBe(1264n)
})

test('behavior: income stops at maturity and is zero before the lend', () => {
  const final = fixedIncome(position, position.maturityTimestamp)
  expect(fixedIncome(position, position.maturityTimestamp + 1n)).toBe(final)
  expect(fixedIncome(position, position.maturityTimestamp - 1n)).toBeLessThan(final)
  expect(fixedIncome(position, position.lendTimestamp)).toBe(0n)
  expect(fixedIncome(position, position.lendTimestamp - 3n)).toBe(0n)
})

test('behavior: a position within one day earns that day’s income per second', () => {
  const terms = { ...position, maturityTimestamp: position.lendTimestamp + 3600n }
  const day = position.lendTimestamp / 86_400n
  const income = floatingIncome(terms, {
    instantSeconds: position.lendTimestamp + 86_400n,
    lastUpdatedDay: day,
    accFloatingIncome: (asked) => (asked === day ? 10n ** 25n : 0n),
  })
  expect(income).toBe(position.principal * 3600n)
})

test('behavior: the day of maturity earns from its report on, up to the second of maturity', () => {
  const daily = 10n ** 20n
  const [lendDay, endDay] = [position.lendTimestamp / 86_400n, position.maturityTimestamp / 86_400n]
  const incomeWith = (lastUpdatedDay: bigint) =>
    floatingIncome(position, {
      instantSeconds: position.maturityTimestamp,
      lastUpdatedDay,
      accFloatingIncome: (day) => daily * (day - lendDay + 2n),
    })
  const earn = (seconds: bigint) => (daily * position.principal * seconds) / 10n ** 25n
  const onLendDay = earn((lendDay + 1n) * 86_400n - position.lendTimestamp)
  const between = earn((endDay - 1n - lendDay) * 86_400n)
  expect(incomeWith(endDay - 1n)).toBe(onLendDay + between)
  expect(incomeWith(endDay)).toBe(onLendDay + between + earn(position.maturityTimestamp - endDay * 86_400n))
  expect(incomeWith(endDay + 1n)).toBe(incomeWith(endDay))
})

test('behavior: floating income never decreases over time and never reads an unknown day', () => {
  const firstDay = position.lendTimestamp / 86_400n - 1n
  const incomes = fc.array(fc.bigInt({ min: 0n, max: 10n ** 17n }), { minLength: 1, maxLength: 25 })
  const instant = fc.bigInt({ min: position.lendTimestamp, max: position.maturityTimestamp + 200_000n })
  fc.assert(
    fc.property(incomes, instant, fc.bigInt({ min: 0n, max: 86_400n }), (daily, at, later) => {
      const sums = daily.map((_, index) => daily.slice(0, index + 1).reduce((sum, income) => sum + income, 0n))
      const accumulator = {
        lastUpdatedDay: firstDay + BigInt(daily.length) - 1n,
        accFloatingIncome: (day: bigint) => {
          expect(day).toBeLessThan(firstDay + BigInt(daily.length))
          return sums[Number(day - firstDay)] ?? 0n
        },
      }
      const earlier = floatingIncome(position, { instantSeconds: at, ...accumulator })
      const afterwards = floatingIncome(position, { instantSeconds: at + later, ...accumulator })
      // Three terms rounded down apart can lose two units against one term.
      expect(afterwards).toBeGreaterThanOrEqual(earlier - 2n)
    }),
    { seed: 324 },
  )
})

test('default: the fee is the partner’s share, rounded down', () => {
  expect(partnerFee({ totalIncome: 2311319444444444444n, partnerFeeBps: 250n })).toBe(57782986111111111n)
  expect(partnerFee({ totalIncome: 9999n, partnerFeeBps: 1n })).toBe(0n)
  expect(partnerFee({ totalIncome: 7n, partnerFeeBps: 10_000n })).toBe(7n)
})
