import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BillBasis, billDays, couponsFromBills, formatProtocolBps, isRatePercent } from './bill-curve.ts'

type Case = {
  why: string
  basis: BillBasis
  spreadBps: number
  bills: Record<string, string>
  coupons: Record<string, number>
}
const cases = JSON.parse(readFileSync(new URL('../../vectors/bill-curves.json', import.meta.url), 'utf8')) as Case[]

describe('vectors', () => {
  test.each(cases)('$basis: $why', ({ basis, spreadBps, bills, coupons }) => {
    const rates = Object.entries(bills).map(([weeks, ratePercent]) => ({ weeks: Number(weeks), ratePercent }))
    const tenors = Object.keys(coupons).map(Number)
    expect(couponsFromBills(rates, { basis, spreadBps, tenors })).toEqual(coupons)
    expect(couponsFromBills(rates.reverse(), { basis, spreadBps, tenors })).toEqual(coupons)
  })

  test('there are at least a dozen', () => {
    expect(cases.length).toBeGreaterThanOrEqual(12)
  })
})

const rate = fc.integer({ min: -500, max: 2500 }).map((hundredths) => (hundredths / 100).toFixed(2))
const bills = fc
  .uniqueArray(fc.constantFrom(4, 6, 8, 13, 17, 26, 52), { minLength: 1 })
  .chain((terms) => fc.tuple(...terms.map((weeks) => rate.map((ratePercent) => ({ weeks, ratePercent })))))
const basis = fc.constantFrom<BillBasis>('discount', 'yield')

test('behavior: a coupon is between those of its neighbouring bills, and the spread only shifts it', () => {
  fc.assert(
    fc.property(
      bills,
      basis,
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: -300, max: 300 }),
      (curve, on, tenor, spread) => {
        const at = (days: number, spreadBps = 0) =>
          couponsFromBills(curve, { basis: on, spreadBps, tenors: [days] })[days] as number
        const terms = curve.map(({ weeks }) => billDays(weeks)).sort((a, b) => a - b)
        const left = terms.findLast((days) => days <= tenor) ?? (terms[0] as number)
        const right = terms.find((days) => days >= tenor) ?? (terms.at(-1) as number)
        const bounds = [at(left), at(right)]
        expect(at(tenor)).toBeGreaterThanOrEqual(Math.min(...bounds))
        expect(at(tenor)).toBeLessThanOrEqual(Math.max(...bounds))
        expect(at(tenor, spread)).toBe(at(tenor) + spread)
      },
    ),
  )
})

test('error: a curve without bills is rejected', () => {
  expect(() => couponsFromBills([], { basis: 'discount', spreadBps: 0, tenors: [7] })).toThrow(RangeError)
})

test.each(['', ' 4.53', '4.53 ', '+4.53', '.53', '4.', '4,53', '4.53e0', '0x4', 'N/A', 'NaN', '1234', '--1'])(
  'error: %j is not a rate',
  (ratePercent) => {
    expect(isRatePercent(ratePercent)).toBe(false)
    const bills = [{ weeks: 4, ratePercent }]
    expect(() => couponsFromBills(bills, { basis: 'discount', spreadBps: 0, tenors: [7] })).toThrow(RangeError)
  },
)

test('default: formats rates in basis points', () => {
  expect(formatProtocolBps('4.53', 'discount')).toBe('453')
  expect(formatProtocolBps('4.525', 'discount')).toBe('452.5')
  expect(formatProtocolBps('4.53', 'yield')).toBe('446.7945')
  expect(formatProtocolBps('0.00', 'yield')).toBe('0')
  expect(formatProtocolBps('-0.05', 'yield')).toBe('-4.9315')
  expect(formatProtocolBps('-0.00001', 'discount')).toBe('-0.001')
})
