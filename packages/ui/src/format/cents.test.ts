import fc from 'fast-check'
import { expect, test } from 'vitest'
import { floorCents, formatCents, splitCents, sumAmounts } from './cents.ts'

const milli = 10n ** 15n
const cent = 10n ** 16n

test('default: 88.208 and 330.217 are shown as parts of 418.42', () => {
  const shown = splitCents([88_208n * milli, 330_217n * milli])
  expect(shown.map(({ cents }) => formatCents(cents))).toEqual(['88.21', '330.21'])
  expect(formatCents(sumAmounts(shown).cents)).toBe('418.42')
})

test('behavior: cents are rounded down, also below zero, and formatted with groups', () => {
  expect([-1n, 0n, 1n, cent - 1n, cent, -cent, -cent - 1n].map(floorCents)).toEqual([-1n, 0n, 0n, 0n, 1n, -1n, -2n])
  expect([0n, 5n, -5n, 123_456_789n].map(formatCents)).toEqual(['0.00', '0.05', '−0.05', '1,234,567.89'])
  expect(splitCents([])).toEqual([])
})

test('behavior: parts add up to their sum rounded down, and each is less than a cent from its exact value', () => {
  const amount = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
  const nearCents = fc
    .bigInt({ min: -50n, max: 50n })
    .chain((count) => fc.constantFrom(count * cent, count * cent + 1n))
  fc.assert(
    fc.property(fc.array(fc.oneof(amount, nearCents), { maxLength: 40 }), (parts) => {
      const shown = splitCents(parts)
      const exact = parts.reduce((sum, part) => sum + part, 0n)
      expect(sumAmounts(shown)).toEqual({ exact, cents: floorCents(exact) })
      for (const part of shown) {
        const error = part.cents * cent - part.exact
        expect(error < cent && error > -cent).toBe(true)
      }
    }),
    { seed: 17 },
  )
})
