import { expect, test } from 'vitest'
import { createLedger } from './ledger.ts'

const note = (changes: object = {}) => ({
  maturity_timestamp: '2000000',
  coupon: '369',
  note_started_at: '1000',
  signature_valid_after: '999',
  signature_valid_before: '2000',
  signature: { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 },
  chainid: '324',
  ...changes,
})
const bodyOf = (...data: object[]) => JSON.stringify({ message: 'Notes.', data, availableMaturities: [7] })
const at = (fromMs: number, toMs = fromMs) => [{ fromMs, toMs }]
const other = { signature: { r: `0x${'3'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 } }

test('default: the same body again and again is no violation, and its notes are new once', () => {
  const ledger = createLedger()
  const served = { path: '/notes', body: bodyOf(note()), readings: at(1_500_000) }
  expect(ledger.take(served)).toEqual({ violations: [], fresh: [note()] })
  expect(ledger.take(served)).toEqual({ violations: [], fresh: [] })
  expect(ledger.notes()).toEqual([note()])
})

test.each([
  [999_999, 999_999, 1],
  [999_000, 1_000_000, 0],
  [1_000_000, 1_000_000, 0],
  [1_999_999, 2_000_100, 0],
  [2_000_000, 2_000_000, 1],
])('behavior: with the clock from %d to %d ms a note of [1000 s, 2000 s) makes %d violations', (from, to, count) => {
  const { violations } = createLedger().take({ path: '/notes', body: bodyOf(note()), readings: at(from, to) })
  expect(violations.length).toBe(count)
})

test('behavior: a second signature of a note is a violation on any path, every time it is served', () => {
  const ledger = createLedger()
  ledger.take({ path: '/notes', body: bodyOf(note()), readings: at(1_500_000) })
  for (const path of ['/notes?chainid=324', '/notes?chainid=324']) {
    const { violations } = ledger.take({ path, body: bodyOf(note(other)), readings: at(1_500_000) })
    expect(violations).toEqual(['a second signature for chain 324, period after 999, maturity 2000000'])
  }
})

test('behavior: another body with the same notes is a violation; of fewer chains it is another question', () => {
  const ledger = createLedger()
  const take = (body: string) => ledger.take({ path: '/notes', body, readings: at(1_500_000) }).violations
  const elsewhere = note({ chainid: '300' })
  expect(take(bodyOf(note(), elsewhere))).toEqual([])
  expect(take(bodyOf(note()))).toEqual([])
  expect(take(bodyOf(elsewhere, note()))).toEqual([])
  expect(take(`${bodyOf(note(), elsewhere)} `)).toEqual([
    'another body of /notes than was served before for the same period',
  ])
})

test('behavior: it knows the coupons that were served', () => {
  const ledger = createLedger()
  ledger.take({ path: '/notes', body: bodyOf(note()), readings: at(1_500_000) })
  expect(ledger.knowsCoupon(note())).toBe(true)
  expect(ledger.knowsCoupon(note({ coupon: '370' }))).toBe(false)
  expect(ledger.knowsCoupon(note({ maturity_timestamp: '1' }))).toBe(undefined)
})

test('error: what is no answer of /notes is a violation', () => {
  const { violations } = createLedger().take({ path: '/notes', body: '{"data":[]', readings: at(0) })
  expect(violations[0]).toContain('not what the specification says')
})
