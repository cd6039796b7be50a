import { describe, expect, test } from 'vitest'
import { quoteLargeIntegers, reformatJson, splitJsonList } from './reformat-json.ts'

const values: readonly unknown[] = [
  {},
  [],
  [[], {}, [{}]],
  { a: 1, b: [1, 2, { c: null }], d: 'x, y: {"[z]"} \\" \\\\', é: true, '': false },
  'text',
  -0.5,
  null,
]

test.each(values.map((value) => JSON.stringify(value)))(
  'default: %s is written as JSON.stringify writes it',
  (text) => {
    const spaced = JSON.stringify(JSON.parse(text), undefined, '\t ')
    expect(reformatJson(spaced)).toBe(text)
    expect(reformatJson(spaced, '  ')).toBe(JSON.stringify(JSON.parse(text), undefined, 2))
  },
)

test.each(['9007199254740993', '-9007199254740993', '18446744073709551615', '1.0', '1E400', '0.10', '-0'])(
  'behavior: the number %s stays as it is',
  (text) => {
    expect(reformatJson(` [ ${text} , {"a" :${text}}]`)).toBe(`[${text},{"a":${text}}]`)
    expect(reformatJson(`[${text}]`, '  ')).toBe(`[\n  ${text}\n]`)
  },
)

test('behavior: members and escapes stay as they are', () => {
  expect(reformatJson('{"a":1,"a":2,"__proto__":"\\u00e9\\/"}')).toBe('{"a":1,"a":2,"__proto__":"\\u00e9\\/"}')
})

test.each(['', '{', '[1,]', '{"a":1}}', 'nothing', '01'])('error: %j is not JSON', (text) => {
  expect(() => reformatJson(text)).toThrow(SyntaxError)
})

describe('list', () => {
  test.each([
    ['[]', []],
    [' [ 1 , 9007199254740993 ] ', ['1', '9007199254740993']],
    ['[{"a":[1,2]},"x,y",[{}]]', ['{"a":[1,2]}', '"x,y"', '[{}]']],
    ['{"a":[1]}', undefined],
    ['1', undefined],
  ])('behavior: %s has the items %j', (text, items) => {
    expect(splitJsonList(text)).toEqual(items)
  })
})

test('behavior: only integers that a number cannot hold are quoted', () => {
  const text =
    '[9007199254740991,9007199254740992,-9007199254740993,"9007199254740993",1.5,1e300,{"9007199254740993":1}]'
  expect(quoteLargeIntegers(text)).toBe(
    '[9007199254740991,"9007199254740992","-9007199254740993","9007199254740993",1.5,1e300,{"9007199254740993":1}]',
  )
})
