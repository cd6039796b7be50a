import { expectedIncome } from '@tallystick/client'
import { fixedIncome, partnerFee } from '@tallystick/core'
import { floorCents } from '@tallystick/ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lendDeadline, roundIncome } from './certain-income.ts'

const at = (text: string) => Date.parse(`2026-11-13T${text}-05:00`) / 1000
const end = BigInt(at('18:00:00'))

describe('the deadline', () => {
  test.each([
    ['12:00:00', '12:10:00'],
    ['12:04:59', '12:10:00'],
    ['12:05:00', '12:15:00'],
    ['17:49:59', '17:55:00'],
    // The pool takes a note until the second before the end of its period.
    ['17:50:00', '17:59:59'],
    ['17:59:59', '17:59:59'],
    ['18:00:00', '17:59:59'],
  ])('default: at %s it is %s', (now, deadline) => {
    expect(lendDeadline(at(now), end)).toBe(BigInt(at(deadline)))
  })
})

// A lend of a period of 18 hours: what is shown at any second of it, and a block at any later second until the deadline.
const scene = fc
  .record({
    principal: fc.oneof(
      fc.bigInt({ min: 1n, max: 10n ** 27n }),
      fc.bigInt({ min: 100_000n, max: 10n ** 11n }).map((cents) => cents * 10n ** 16n),
    ),
    coupon: fc.bigInt({ min: 1n, max: 1000n }),
    floatingRate: fc.bigInt({ min: 0n, max: 5000n }),
    partnerFeeBPS: fc.bigInt({ min: 0n, max: 10_000n }),
    days: fc.integer({ min: 3, max: 360 }),
    now: fc.integer({ min: at('00:00:00'), max: at('17:59:59') }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ days, share, ...rest }) => {
    const deadline = lendDeadline(rest.now, end)
    const lendTimestamp = BigInt(rest.now + Math.floor(share * (Number(deadline) - rest.now)))
    return { ...rest, deadline, lendTimestamp, maturityTimestamp: BigInt(at('00:00:00') + days * 86_400) }
  })
type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never

/** Returns what the page shows, and the fixed income that the contract pays for a lend in the second of its block. */
function lend({ principal, coupon, maturityTimestamp, lendTimestamp, deadline, ...rates }: Scene) {
  const income = expectedIncome({ coupon, maturityTimestamp }, { principal, lendTimestamp: deadline, ...rates })
  const terms = { principal, coupon, maturityTimestamp, lendTimestamp }
  return { shown: roundIncome(principal, income), paid: fixedIncome(terms, maturityTimestamp) }
}

test('behavior: no lend by the deadline pays less than what is called certain', () => {
  fc.assert(
    fc.property(scene, (values) => {
      const { shown, paid } = lend(values)
      expect(shown.fixed.cents).toBeLessThanOrEqual(floorCents(paid))
      expect(shown.principal.cents).toBe(floorCents(values.principal))
    }),
    { seed: 36, numRuns: 3_000 },
  )
})

test('behavior: a lend in the second of the deadline pays it to the cent', () => {
  fc.assert(
    fc.property(scene, (values) => {
      const { shown, paid } = lend({ ...values, lendTimestamp: values.deadline })
      expect(shown.fixed).toEqual({ exact: paid, cents: floorCents(paid) })
    }),
    { seed: 36, numRuns: 1_000 },
  )
})

test('behavior: without floating income, the total is at most what is paid, after any fee', () => {
  fc.assert(
    fc.property(scene, (values) => {
      const { shown, paid } = lend({ ...values, floatingRate: 0n })
      const fee = partnerFee({ totalIncome: paid, partnerFeeBps: values.partnerFeeBPS })
      expect(shown.total.cents).toBeLessThanOrEqual(floorCents(values.principal + paid - fee))
    }),
    { seed: 36, numRuns: 1_000 },
  )
})

test('behavior: the parts add up to the total, which is within two cents of the exact one', () => {
  fc.assert(
    fc.property(scene, (values) => {
      const { principal, fixed, floating, fee, total } = lend(values).shown
      expect(principal.cents + fixed.cents + floating.cents - fee.cents).toBe(total.cents)
      const missing = floorCents(principal.exact + fixed.exact + floating.exact - fee.exact) - total.cents
      expect(missing >= 0n && missing <= 2n).toBe(true)
    }),
    { seed: 36, numRuns: 1_000 },
  )
})
