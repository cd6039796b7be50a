import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatArray, formatRow, parseArray } from './encode-value.ts'

test('default: quotes the same elements as PostgreSQL', () => {
  expect(formatArray([])).toBe('{}')
  expect(formatArray(['a', '', null, 'NULL', 'b c', 'd,e', '"', '\\x01', '{}', "'"])).toBe(
    '{a,"",NULL,"NULL","b c","d,e","\\"","\\\\x01","{}",\'}',
  )
})

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\\', '{', '}', ' ', '\n', '\t', 'é', '😀') }),
  fc.constantFrom('', 'NULL', 'null', '\\x', '\\x01', '-5', '\\.', '\\N'),
)

test('behavior: the text of an array is parsed to its elements', () => {
  fc.assert(
    fc.property(fc.array(fc.option(text)), (elements) => {
      expect(parseArray(formatArray(elements))).toEqual(elements)
    }),
  )
})

test('default: a row for copy has escapes', () => {
  expect(formatRow(['1', '', null, undefined, '\\x0a', '\\x\t', 'a\tb\nc\rd\\', '\\N', '{"\\\\x01"}'])).toBe(
    '1\t\t\\N\t\\N\t\\\\x0a\t\\\\x\\t\ta\\tb\\nc\\rd\\\\\t\\\\N\t{"\\\\\\\\x01"}\n',
  )
})
