import { expect, test } from 'vitest'
import { schemaIdOf } from './schema-id-of.ts'

const schema = 'type Day @entity { id: ID! sum: BigInt! }'

test('default: the id changes with the entities, not with their descriptions or order', () => {
  expect(schemaIdOf(schema)).toMatch(/^[0-9a-f]{8}$/)
  expect(schemaIdOf('"A UTC day." type Day @entity { "Total." sum: BigInt! id: ID! }')).toBe(schemaIdOf(schema))
  expect(schemaIdOf('type Day @entity { id: ID! sum: BigInt }')).not.toBe(schemaIdOf(schema))
  expect(schemaIdOf('type Day @entity { id: ID! sum: BigInt! count: Int }')).not.toBe(schemaIdOf(schema))
})
