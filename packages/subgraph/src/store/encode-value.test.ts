import { expect, test } from 'vitest'
import { formatArray } from './encode-value.ts'

test('default: quotes the same elements as PostgreSQL', () => {
  expect(formatArray([])).toBe('{}')
  expect(formatArray(['a', '', null, 'NULL', 'b c', 'd,e', '"', '\\x01', '{}', "'"])).toBe(
    '{a,"",NULL,"NULL","b c","d,e","\\"","\\\\x01","{}",\'}',
  )
})
