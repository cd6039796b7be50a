import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasPlainStrings, skipMembers } from './skip-members.ts'

/** Returns whether a text is accepted as one object. */
function accepts(text: string): boolean {
  return text.startsWith('{') && hasPlainStrings(text) && skipMembers(text, 1) === text.length
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('default: accepts compact objects without escapes', () => {
  const check = (value: object) => {
    const text = JSON.stringify(value)
    expect(accepts(text)).toBe(!text.includes('\\'))
  }
  const json = fc.jsonValue({ depthSize: 'medium' })
  fc.assert(fc.property(fc.dictionary(fc.string(), json, { minKeys: 1 }), check))
})

// Tokens and fragments of tokens, so that most texts are almost JSON.
const pieces = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '"a":',
  '1',
  '0',
  '-',
  '.',
  'e',
  'true',
  'null',
  ' ',
  '\\',
  '\n',
]

test('behavior: accepts nothing that is not JSON', () => {
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => `{"a":${parts.join('')}}`)
  const check = (text: string) => {
    if (accepts(text)) expect(isJson(text)).toBe(true)
  }
  fc.assert(fc.property(texts, check), { numRuns: 20_000 })
})

test('behavior: accepts no JSON with a character removed, changed or added that is not JSON either', () => {
  const value = { a: [{ b: '0xAb', c: null }, [], {}, [1, -2.5e3, true, [[0]]]], ü: { d: { e: '}],' } } }
  const text = JSON.stringify(value)
  expect(accepts(text)).toBe(true)
  for (let index = 1; index <= text.length; index++) {
    for (const piece of ['', ...pieces]) {
      for (const end of [index, index + 1]) {
        const changed = text.slice(0, index) + piece + text.slice(end)
        if (accepts(changed)) expect([changed, isJson(changed)]).toEqual([changed, true])
      }
    }
  }
})

test.each(['01', '1.', '.5', '+1', '-', '1e', '0x1', 'NaN', 'tru', 'nullx', "'a'", 'undefined', '"a', '"a"b'])(
  'error: rejects the value %s',
  (value) => {
    expect(accepts(`{"a":${value}}`)).toBe(false)
    expect(accepts(`{"a":[${value}]}`)).toBe(false)
  },
)

test.each([
  '{}',
  '{,}',
  '{"a":1,}',
  '{,"a":1}',
  '{"a"}',
  '{"a":}',
  '{a:1}',
  '{"a":1}}',
  '{"a":[1,]}',
  '{"a":[1}',
  '{"a":{]}',
])('error: rejects %s', (text) => {
  expect(accepts(text)).toBe(false)
})

test('behavior: accepts 28 levels, whatever their kind, and rejects more', () => {
  const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{"a":1}${'}'.repeat(levels - 1)}`
  const arrays = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect([28, 29].map((levels) => [accepts(objects(levels)), accepts(arrays(levels))])).toEqual([
    [true, true],
    [false, false],
  ])
})

test('behavior: reads megabytes once', () => {
  const rows = `{"a":[${'["0x",{"b":1}],'.repeat(400_000)}1]}`
  expect(accepts(rows)).toBe(true)
  expect(accepts(rows.slice(0, -1))).toBe(false)
  expect(accepts(`{"a":"${'{['.repeat(4_000_000)}`)).toBe(false)
})
