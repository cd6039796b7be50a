import { parseValue } from 'graphql'
import { expect, test } from 'vitest'
import { isInt32, readJson, readLiteral } from './coerce-arguments.ts'
import { debugValue } from './value.ts'

test.each([
  ['"5"', 'String("5")'],
  ['5', 'Int(Number(5))'],
  ['1.5', 'Float(1.5)'],
  ['true', 'Boolean(true)'],
  ['null', 'Null'],
  ['x', 'Enum("x")'],
  ['[1, "a"]', 'List([Int(Number(1)), String("a")])'],
  ['{coupon_gt: 1.5}', 'Object({"coupon_gt": Float(1.5)})'],
  ['{}', 'Object({})'],
  ['"a\\"b\\\\c\\n\\u0001"', 'String("a\\"b\\\\c\\n\\u{1}")'],
  ['$unset', 'Null'],
])('default: the literal %s prints as %s', (literal, printed) => {
  expect(debugValue(readLiteral(parseValue(literal), new Map()))).toBe(printed)
})

test.each([
  [-2_147_483_648, 'Int(Number(-2147483648))'],
  [2_147_483_648, 'Float(2147483648.0)'],
  [5_000_000_000, 'Float(5000000000.0)'],
  [1234567890123456, 'Float(1234567890123456.0)'],
  [12345678901234567890n, 'Int(Number(12345678901234567890))'],
  [-0, 'Int(Number(0))'],
  [0.0001, 'Float(0.0001)'],
  [0.00009, 'Float(9e-5)'],
  [1e16, 'Float(1e16)'],
  [1.5, 'Float(1.5)'],
  [1e21, 'Float(1e21)'],
  [1e-7, 'Float(1e-7)'],
  [-3, 'Int(Number(-3))'],
  [null, 'Null'],
  [undefined, 'Null'],
  [{ a: [true] }, 'Object({"a": List([Boolean(true)])})'],
])('default: the variable %o prints as %s', (json, printed) => {
  expect(debugValue(readJson(json))).toBe(printed)
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
