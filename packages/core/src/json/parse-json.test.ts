import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isCutOff, parseJson } from './parse-json.ts'

test('default: parses as JSON.parse does', () => {
  const check = (text: string) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  }
  fc.assert(fc.property(fc.json(), check))
})

test.each([
  ['arrays', (levels: number) => '['.repeat(levels) + ']'.repeat(levels)],
  ['objects', (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`],
  [
    'both, after strings',
    (levels: number) => `["\\"[\\\\",${'[{"]":'.repeat((levels - 2) / 2)}[]${'}]'.repeat((levels - 2) / 2)}]`,
  ],
])('behavior: 100 levels of %s are accepted, more are not', (_, nest) => {
  expect(parseJson(nest(100))).toEqual(JSON.parse(nest(100)))
  expect(() => parseJson(nest(102))).toThrow(new SyntaxError('The JSON has more than 100 levels.'))
})

test('behavior: brackets in strings and siblings are no levels', () => {
  const text = JSON.stringify(['['.repeat(1_000), '\\', '\\"[[[', ...Array.from({ length: 1_000 }, () => [{}])])
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test('error: brackets that are never closed are refused before they are parsed', () => {
  expect(() => parseJson('['.repeat(4_000_000))).toThrow('more than 100 levels')
  expect(() => parseJson(`${'{"":'.repeat(1_000_000)}`)).toThrow('more than 100 levels')
})

test.each(['', '{', '"', '"\\', '"\\"', '["a', ']', '[1,]', 'nul'])('error: %s is not JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})

test.each([
  ['[1,{"a":[', true],
  ['{"a":"0x', true],
  ['"\\"', true],
  ['[1,2] trailing', false],
  ['text', false],
  [']', false],
  ['['.repeat(1_000), false],
])('behavior: %s is cut off: %s', (text, expected) => {
  expect(isCutOff(text)).toBe(expected)
})
