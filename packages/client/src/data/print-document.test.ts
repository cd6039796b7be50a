import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { printDocument } from './print-document.ts'

test.each([
  '{ a }',
  'query Q($a: [Int!]! = [1, 2], $b: T = { c: { d: null } } @x) @live { a(b: $b) @skip(if: true) { ...F ... on U @y { c } ... { d } } }',
  'query { a(s: "quote \\" back \\\\ line \\n snow ☃", f: 1.5e3, e: DESC, t: true, l: [], o: {}) b: c }',
  'query { a(text: """block "text" \\n stays""") }',
  'fragment F on T @z(a: 1) { a } query A { ...F } subscription S { a } mutation M { a }',
])('printDocument: %s parses to the same document', (text) => {
  const plain = (document: unknown) =>
    JSON.parse(JSON.stringify(document, (key, value) => (key === 'block' ? undefined : value)))
  const document = parse(text, { noLocation: true })
  expect(plain(parse(printDocument(document), { noLocation: true }))).toEqual(plain(document))
})

test('printDocument: a schema is no query', () => {
  expect(() => printDocument(parse('type A { a: Int }'))).toThrow('ObjectTypeDefinition')
})
