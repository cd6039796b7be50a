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
const at = (fromMs: number, toMs = fromMs) => ({ times: [{ fromMs, toMs }], toleranceMs: 0 })
const other = { signature: { r: `0x${'3'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 } }

test('default: a repeated body is no violation, and its notes are new once', () => {
  const ledger = createLedger()
  const served = { path: '/notes', body: bodyOf(note()), ...at(1_500_000) }
  expect(ledger.take(served)).toEqual({ violations: [], fresh: [note()] })
  expect(ledger.take(served)).toEqual({ violations: [], fresh: [] })
  expect(ledger.notes()).toEqual([note()])
})

test.each([
  [999_999, 999_999, 0, 'an early note: it is valid from 999 to 2000, the time was 999.999 to 999.999'],
  [999_000, 1_000_000, 0, undefined],
  [1_000_000, 1_000_000, 0, undefined],
  [1_999_999, 2_000_100, 0, undefined],
  [2_000_000, 2_000_000, 0, 'a late note: it is valid from 999 to 2000, the time was 2000 to 2000'],
  [998_999, 998_999, 1_000, 'an early note: it is valid from 999 to 2000, the time was 998.999 to 998.999'],
  [999_000, 999_000, 1_000, undefined],
  [2_000_999, 2_000_999, 1_000, undefined],
  [2_001_000, 2_001_000, 1_000, 'a late note: it is valid from 999 to 2000, the time was 2001 to 2001'],
])('behavior: a note of [1000 s, 2000 s) served from %d to %d ms with a tolerance of %d ms: %s', (...row) => {
  const [from, to, toleranceMs, words] = row
  const ledger = createLedger()
  const { violations } = ledger.take({ path: '/notes', body: bodyOf(note()), ...at(from, to), toleranceMs })
  expect(violations).toEqual(words === undefined ? [] : [words])
})

test('behavior: both times are possible while the time is moved', () => {
  const times = [at(500_000), at(1_500_000)].flatMap((one) => one.times)
  const served = { path: '/notes', body: bodyOf(note()), toleranceMs: 0 }
  expect(createLedger().take({ ...served, times }).violations).toEqual([])
  expect(createLedger().take({ ...served, times: times.slice(0, 1) }).violations).toHaveLength(1)
})

test('behavior: a second signature of a note is a violation on every path, each time', () => {
  const ledger = createLedger()
  ledger.take({ path: '/notes', body: bodyOf(note()), ...at(1_500_000) })
  for (const path of ['/notes?chainid=324', '/notes?chainid=324']) {
    const { violations } = ledger.take({ path, body: bodyOf(note(other)), ...at(1_500_000) })
    expect(violations).toEqual(['a second signature for chain 324, period after 999, maturity 2000000'])
  }
})

test('behavior: another body with the same notes is a violation, unless it has fewer chains', () => {
  const ledger = createLedger()
  const take = (body: string) => ledger.take({ path: '/notes', body, ...at(1_500_000) }).violations
  const elsewhere = note({ chainid: '300' })
  expect(take(bodyOf(note(), elsewhere))).toEqual([])
  expect(take(bodyOf(note()))).toEqual([])
  expect(take(bodyOf(elsewhere, note()))).toEqual([])
  expect(take(`${bodyOf(note(), elsewhere)} `)).toEqual(['/notes was served with another body in the same period'])
})

test('behavior: a rate is compared with the notes of its maturity, in either order', () => {
  const ledger = createLedger()
  ledger.takeRate(note())
  ledger.takeRate(note({ coupon: '370' }))
  ledger.takeRate(note({ maturity_timestamp: '1' }))
  expect(ledger.unservedRates()).toEqual([])
  ledger.take({ path: '/notes', body: bodyOf(note()), ...at(1_500_000) })
  expect(ledger.unservedRates()).toMatchObject([{ coupon: '370' }])
})

test('error: an invalid body is a violation', () => {
  const { violations } = createLedger().take({ path: '/notes', body: '{"data":[]', ...at(0) })
  expect(violations[0]).toContain('an invalid body of /notes')
})
