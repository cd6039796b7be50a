import { expect, test } from 'vitest'
import { buildApiSchema } from './api-schema.ts'
import { parseSchema } from './parse-schema.ts'
import { fingerprintOf } from './schema-id-of.ts'

test('behavior: comments and order do not change the fingerprint, a field does', () => {
  const one = parseSchema('type A @entity { id: ID! x: Int } type B @entity { id: ID! }')
  const same = parseSchema('"B" type B @entity { id: ID! } type A @entity { "x" x: Int id: ID! } # end')
  const other = parseSchema('type A @entity { id: ID! x: Int! } type B @entity { id: ID! }')
  expect(fingerprintOf(same)).toBe(fingerprintOf(one))
  expect(fingerprintOf(other)).not.toBe(fingerprintOf(one))
})

test.each([
  ['type A @entity {', 'The schema cannot be parsed: Syntax Error'],
  ['', 'The schema cannot be parsed: Syntax Error'],
  ['enum E { a }', 'no type with @entity'],
  ['interface I { id: ID! } type A implements I @entity { id: ID! }', 'InterfaceTypeDefinition "I" is not supported'],
  ['union U = A type A @entity { id: ID! }', 'UnionTypeDefinition "U" is not supported'],
  ['scalar S type A @entity { id: ID! }', 'ScalarTypeDefinition "S" is not supported'],
  ['extend type A { x: Int }', 'ObjectTypeExtension "A" is not supported'],
  ['type A { id: ID! }', 'The type A has no @entity directive'],
  [
    'type _Schema_ @fulltext(name: "x") type A @entity { id: ID! }',
    'The directive @fulltext on _Schema_ is not supported',
  ],
  ['type A @entity(timeseries: true) { id: Int8! }', '@entity(timeseries: …) on A is not supported'],
  ['type A @aggregation(intervals: ["day"]) { id: Int8! }', 'The directive @aggregation on A is not supported'],
  ['type A @entity { id: ID }', 'A needs an id of type ID!, String!, Bytes! or Int8!'],
  ['type A @entity { id: Int! }', 'A needs an id of type'],
  ['type A @entity { x: Int }', 'A needs an id of type'],
  ['type A @entity { id: ID! x: Float }', 'The type Float of A.x is unknown'],
  ['type A @entity { id: ID! x: [[Int!]!]! }', 'A.x is a list of lists'],
  ['type A @entity { id: ID! x(y: Int): Int }', 'Arguments are not supported, but A.x has some'],
  ['type A @entity { id: ID! x: Int @deprecated }', 'The directive @deprecated on A.x is not supported'],
  ['type A @entity { id: ID! x: Int x: Int }', 'The field A.x is defined twice'],
  ['type A @entity { id: ID! } type A @entity { id: ID! }', 'The type A is defined twice'],
  [
    'type A @entity { id: ID! b: [B!]! @derivedFrom(field: "a") } type B @entity { id: ID! }',
    'A.b is derived from B.a',
  ],
  ['type A @entity { id: ID! b: [B!]! @derivedFrom } type B @entity { id: ID! }', '@derivedFrom on A.b needs field'],
  ['type A @entity { id: ID! b: Int @derivedFrom(field: "a") }', 'A.b is derived, but Int is not an entity'],
  [`type A @entity { id: ID! ${'x'.repeat(64)}: Int }`, 'is longer than 63'],
])('error: refuses %s', (sdl, message) => {
  expect(() => parseSchema(sdl)).toThrow(expect.objectContaining({ code: 'invalid_schema' }))
  expect(() => parseSchema(sdl)).toThrow(message)
})

test.each([
  ['type News @entity { id: ID! } type news @entity { id: ID! }', 'Query.news'],
  ['type A @entity { id: ID! x: Int x_not: Int }', 'A_filter.x_not'],
  ['type A @entity { id: ID! and: Int }', 'A_filter.and'],
  ['type Query @entity { id: ID! }', 'Query'],
  ['type A @entity { id: ID! __x: Int }', '__x'],
])('error: refuses names that clash in %s', (sdl, name) => {
  const model = parseSchema(sdl)
  expect(() => buildApiSchema(model)).toThrow(expect.objectContaining({ code: 'invalid_schema' }))
  expect(() => buildApiSchema(model)).toThrow(name)
})
