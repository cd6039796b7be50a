import { expect, test } from 'vitest'
import { formatCsv } from './format-csv.ts'

/** Reads CSV by the grammar of RFC 4180 §2, without our code. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  for (let row: string[] = []; pattern.lastIndex < text.length; ) {
    const match = pattern.exec(text)
    if (!match) throw new Error('not RFC 4180')
    row.push(match[1]?.replaceAll('""', '"') ?? (match[2] as string))
    if (match[3] === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

test('default: every row ends with CRLF, also the last and the header', () => {
  expect(formatCsv(['day', 'coupon'], [['2026-11-14', 369]])).toBe('day,coupon\r\n2026-11-14,369\r\n')
  expect(formatCsv(['day'], [])).toBe('day\r\n')
})

test.each(['plain', 'with, comma', 'with "quotes"', 'two\r\nlines', 'a\nb', '"', '', 'é€😀'])(
  'default: %j is read back',
  (value) => {
    expect(parse(formatCsv(['a', 'b'], [[value, null]]))).toEqual([
      ['a', 'b'],
      [value, ''],
    ])
  },
)

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://x","y")'])(
  'behavior: %j is no formula',
  (value) => {
    expect(parse(formatCsv(['a'], [[value]]))[1]).toEqual([`'${value}`])
  },
)

test('behavior: a negative number stays a number', () => {
  expect(formatCsv(['a'], [[-5]])).toBe('a\r\n-5\r\n')
})

test('behavior: a decimal keeps all its digits and its sign, and any other text in its place is no formula', () => {
  const values = ['-0.000000000000000001', '340282366920938463463.5', '-1+cmd', '=1', '1,5'].map((decimal) => ({
    decimal,
  }))
  expect(formatCsv(['a', 'b', 'c', 'd', 'e'], [values])).toBe(
    'a,b,c,d,e\r\n-0.000000000000000001,340282366920938463463.5,\'-1+cmd,\'=1,"1,5"\r\n',
  )
})
