import { parseValue } from 'graphql'
import { expect, test } from 'vitest'
import { readJson, readLiteral } from './read-value.ts'
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
  [5_000_000_000, 'Float(5000000000.0)'],
  [1.5, 'Float(1.5)'],
  [1e21, 'Float(1e21)'],
  [1e-7, 'Float(1e-7)'],
  [-3, 'Int(Number(-3))'],
  [null, 'Null'],
  [undefined, 'Null'],
  [{ a: [true] }, 'Object({"a": List([Boolean(true)])})'],
])('default: the variable %j prints as %s', (json, printed) => {
  expect(debugValue(readJson(json))).toBe(printed)
})
