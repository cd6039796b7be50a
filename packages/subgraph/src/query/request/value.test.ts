import { expect, test } from 'vitest'
import { readJson } from './read-value.ts'
import { debugValue, isInt32 } from './value.ts'

test.each([
  [null, 'Null'],
  [true, 'Boolean(true)'],
  [5, 'Int(Number(5))'],
  [-2_147_483_648, 'Int(Number(-2147483648))'],
  [2_147_483_648, 'Float(2147483648.0)'],
  [1234567890123456, 'Float(1234567890123456.0)'],
  [12345678901234567890n, 'Int(Number(12345678901234567890))'],
  [-0, 'Int(Number(0))'],
  [0.5, 'Float(0.5)'],
  [0.0001, 'Float(0.0001)'],
  [0.00009, 'Float(9e-5)'],
  [1e16, 'Float(1e16)'],
  [1.5e300, 'Float(1.5e300)'],
  ['a "b"\n\\\u0001', String.raw`String("a \"b\"\n\\\u{1}")`],
  [['a', [1]], 'List([String("a"), List([Int(Number(1))])])'],
  [{ a: { 'b"': null } }, 'Object({"a": Object({"b\\"": Null})})'],
])('default: %o is printed as %s', (json, text) => {
  expect(debugValue(readJson(json))).toBe(text)
})

test('behavior: floats beyond the range are infinite, and zero has no exponent', () => {
  const print = (text: string) => debugValue({ kind: 'Float', text })
  expect(['1e999', '-1e999', '0.0', '9999999999999998'].map(print)).toEqual([
    'Float(inf)',
    'Float(-inf)',
    'Float(0.0)',
    'Float(9999999999999998.0)',
  ])
})

test.each([
  ['2147483647', true],
  ['-2147483648', true],
  ['2147483648', false],
  ['-2147483649', false],
  ['1.5', false],
  ['00000000005', true],
  ['000000000005', false],
])('default: whether %s is an Int: %s', (text, expected) => {
  expect(isInt32(text)).toBe(expected)
})

test('error: variables may nest 50 deep, and no deeper', () => {
  const nest = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
  expect(() => readJson(nest(51))).not.toThrow()
  expect(() => readJson(nest(52))).toThrow('Recursion limit exceeded, variables nest deeper than 50.')
})
