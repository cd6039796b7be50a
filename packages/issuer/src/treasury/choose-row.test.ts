import { describe, expect, test } from 'vitest'
import { type ChooseRowOptions, chooseRow } from './choose-row.ts'
import type { FeedRow } from './parse-feed.ts'

const rules: ChooseRowOptions = {
  basis: 'discount',
  tenors: [7, 30, 90, 180, 360],
  bills: undefined,
  knownBills: [],
  today: '2026-01-15',
}
const allBills = { 4: '3.60', 6: '3.59', 8: '3.58', 13: '3.55', 17: '3.53', 26: '3.50', 52: '3.45' }

function row(date: string, rates: Record<number, string>, name = 'CLOSE'): FeedRow {
  const columns = Object.entries(rates).map(([weeks, rate]) => [`ROUND_B1_${name}_${weeks}WK_2`, rate] as const)
  return { date, columns: new Map([['INDEX_DATE', date], ...columns]) }
}

function without(...terms: number[]): Record<number, string> {
  return Object.fromEntries(Object.entries(allBills).filter(([weeks]) => !terms.includes(Number(weeks))))
}

describe('choice of the row', () => {
  test('default: the newest row, whatever the order', () => {
    const rows = [row('2026-01-13', allBills), row('2026-01-15', allBills), row('2026-01-14', allBills)]
    const chosen = chooseRow(rows, rules)
    expect([chosen.row.date, chosen.rates.size, chosen.missing, chosen.vanished]).toEqual(['2026-01-15', 7, [], []])
  })

  test('behavior: a holiday’s row without rates is skipped silently', () => {
    const chosen = chooseRow([row('2026-01-14', allBills), row('2026-01-15', {})], rules)
    expect([chosen.row.date, chosen.vanished]).toEqual(['2026-01-14', []])
  })

  test('behavior: a row with a future date is never used', () => {
    const chosen = chooseRow([row('2026-01-16', { 4: '9.99' }), row('2026-01-15', allBills)], rules)
    expect(chosen.row.date).toBe('2026-01-15')
  })

  test('behavior: the basis selects the columns', () => {
    const rows = [row('2026-01-15', allBills, 'CLOSE'), row('2026-01-14', allBills, 'YIELD')]
    expect(chooseRow(rows, rules).row.date).toBe('2026-01-15')
    expect(chooseRow(rows, { ...rules, basis: 'yield' }).row.date).toBe('2026-01-14')
  })

  test('behavior: zero is a rate', () => {
    const zeros = Object.fromEntries(Object.keys(allBills).map((weeks) => [weeks, '0.00']))
    expect(chooseRow([row('2026-01-15', zeros)], rules).rates.size).toBe(7)
  })

  test('behavior: an unsupported bill is ignored', () => {
    const chosen = chooseRow([row('2026-01-15', { ...allBills, 2: '9.99', 39: '0.01' })], rules)
    expect([...chosen.rates.keys()]).toEqual([4, 6, 8, 13, 17, 26, 52])
  })

  test('behavior: a repeated row counts once', () => {
    const rows = [row('2026-01-15', allBills), row('2026-01-15', allBills)]
    expect(chooseRow(rows, rules).row.date).toBe('2026-01-15')
  })
})

describe('missing bills', () => {
  const before = row('2026-01-14', allBills)

  test('behavior: a missing bill in between is interpolated and reported', () => {
    const chosen = chooseRow([before, row('2026-01-15', without(6, 13))], rules)
    expect([chosen.row.date, chosen.missing, chosen.vanished]).toEqual(['2026-01-15', [6, 13], [6, 13]])
  })

  test.each([
    ['the longest', without(52), [52]],
    ['the shortest', without(4), [4]],
    ['all but one in the middle', { 13: '3.55' }, [4, 6, 8, 17, 26, 52]],
  ])('error: without %s, the curve would be flat at its end, so the previous row is used', (_, rates, vanished) => {
    const chosen = chooseRow([before, row('2026-01-15', rates)], rules)
    expect([chosen.row.date, chosen.missing, chosen.vanished]).toEqual(['2026-01-14', [], vanished])
  })

  test('behavior: a missing end that no tenor needs is ignored', () => {
    const rows = [before, row('2026-01-15', without(52))]
    const chosen = chooseRow(rows, { ...rules, tenors: [7, 30, 180, 182] })
    expect([chosen.row.date, chosen.missing]).toEqual(['2026-01-15', [52]])
    expect(chooseRow(rows, { ...rules, tenors: [183] }).row.date).toBe('2026-01-14')
  })

  test('error: a bill missing from all rows is noticed, because the last curve had it', () => {
    const rows = [row('2026-01-14', without(52)), row('2026-01-15', without(52))]
    expect(() => chooseRow(rows, { ...rules, knownBills: [4, 26, 52] })).toThrow(
      'No row of the Treasury feed has the required bills. The row of 2026-01-15 lacks the 52-week bill.',
    )
  })

  test('behavior: a bill that never existed is not missing', () => {
    const rows = [row('2024-11-21', without(6, 13, 26, 52)), row('2024-11-22', without(6, 13, 26, 52))]
    const chosen = chooseRow(rows, { ...rules, knownBills: [4, 8, 17] })
    expect([chosen.row.date, chosen.vanished]).toEqual(['2024-11-22', []])
  })

  test('behavior: all configured bills are required, and no others are used', () => {
    const named = { ...rules, bills: [4, 13, 26], knownBills: [4, 52] }
    const chosen = chooseRow([before, row('2026-01-15', without(52, 6))], named)
    expect([chosen.row.date, [...chosen.rates.keys()], chosen.vanished]).toEqual(['2026-01-15', [4, 13, 26], []])
    expect(chooseRow([before, row('2026-01-15', without(13))], named)).toMatchObject({
      row: { date: '2026-01-14' },
      vanished: [13],
    })
  })
})

describe('refusals', () => {
  test.each([
    ['no rows', [], 'empty'],
    ['only rows of nulls', [row('2026-01-15', {})], 'empty'],
    ['only rows of days to come', [row('2026-01-16', allBills)], 'empty'],
    [
      'two rows of one date that differ',
      [row('2026-01-15', allBills), row('2026-01-15', { ...allBills, 4: '3.61' })],
      'conflict',
    ],
    [
      'two rows of one date of which one has more',
      [row('2026-01-15', allBills), row('2026-01-15', without(6))],
      'conflict',
    ],
    ['a rate that is no number', [row('2026-01-15', { ...allBills, 13: 'N/A' })], 'malformed'],
    ['a rate with a comma', [row('2026-01-15', { ...allBills, 13: '3,55' })], 'malformed'],
    ['a rate too high to be one', [row('2026-01-15', { ...allBills, 13: '355' })], 'implausible'],
    ['a rate too low to be one', [row('2026-01-15', { ...allBills, 13: '-5.01' })], 'implausible'],
  ] as const)('error: %s', (_, rows, failure) => {
    expect(() => chooseRow(rows, rules)).toThrow(expect.objectContaining({ name: 'TreasuryFeedError', failure }))
  })

  test('behavior: faults in older rows are ignored', () => {
    const old = [row('2026-01-02', { 4: 'N/A', 52: '1' }), row('2026-01-02', { 4: '1', 52: '1' })]
    expect(chooseRow([...old, row('2026-01-15', allBills)], rules).row.date).toBe('2026-01-15')
  })
})
