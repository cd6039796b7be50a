import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { createRandom } from './create-random.ts'
import { formatSampleQuery, generateQuery } from './generate-query.ts'
import { type FieldModel, readQueryModel } from './query-model.ts'
import { createSamples } from './samples.ts'

const schema = graphqlSchemaOf(protocolSchema)
const model = readQueryModel(schema)
const samples = createSamples()
for (const entity of model.values()) {
  samples.add(entity, [Object.fromEntries(entity.fields.map((field) => [field.name, sampleOf(field)]))])
}

function sampleOf({ kind, type }: FieldModel): unknown {
  if (kind === 'entity') return { id: '0xabcdef' }
  if (kind === 'scalars') return ['0xabcdef']
  const values: Readonly<Record<string, unknown>> = { Boolean: true, Int: 5, Bytes: '0xabcdef', String: 'Active' }
  return values[type] ?? '7'
}

function generate(seed: number, count: number): readonly string[] {
  const random = createRandom(seed)
  const options = { model, samples, random, block: '{ hash: "0x09" }', past: { from: 1, to: 9 } }
  return Array.from({ length: count }, () => generateQuery(options))
}

function checkQueries(count: number) {
  const queries = generate(1, count)
  expect(queries.flatMap((query) => validate(schema, parse(query)))).toEqual([])
  expect(generate(1, count)).toEqual(queries)
  expect(generate(2, count)).not.toEqual(queries)
}

test('default: every query is valid, and the same seed gives the same queries', () => checkQueries(150))

test('default: every one of 1,000 queries is valid', { tags: ['slow'] }, () => checkQueries(1_000))

test('default: together the queries use every entity, field, kind of filter and order', () => {
  const text = [...generate(3, 3_000)].join('\n')
  for (const { singular, plural, fields, orderings } of model.values()) {
    for (const name of [`${singular}(id`, `${plural}(`, ...fields.map(({ name }) => name)]) expect(text).toContain(name)
    for (const ordering of orderings) expect(text).toContain(`orderBy: ${ordering},`)
  }
  const suffixes = ['not', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'contains', 'not_contains', 'starts_with_nocase']
  for (const suffix of suffixes) expect(text).toMatch(new RegExp(`[a-z]_${suffix}: `))
  for (const part of ['account_: {', 'positions_: {', 'and: [', 'or: [', ': null', 'skip: ', '{ number: 3 }']) {
    expect(text).toContain(part)
  }
})

test('behavior: no query has more than one right result, or the time of a write', () => {
  const text = [...generate(4, 3_000)].join('\n')
  expect(text).not.toMatch(/orderBy: \w+__id\b|_change_block|_: \{ {2}\}/)
  // graph-node cannot order nested lists by a field of a reference.
  expect(text).not.toMatch(/\bpositions\([^)]*orderBy: \w+__/)
})

test('behavior: without samples the queries are still valid', () => {
  const random = createRandom(5)
  const options = { model, samples: createSamples(), random, block: '{ number: 9 }', past: { from: 9, to: 9 } }
  const queries = Array.from({ length: 100 }, () => generateQuery(options))
  const sampling = [...model.values()].map((entity) => formatSampleQuery(entity, '{ number: 9 }'))
  expect([...queries, ...sampling].flatMap((query) => validate(schema, parse(query)))).toEqual([])
})

test('error: rows of another form give no samples', () => {
  const odd = createSamples()
  const [entity] = [...model.values()]
  if (!entity) throw new Error('there is no entity')
  for (const rows of [undefined, null, 'x', [null, 7, [], { id: { a: 1 } }, { id: 'x'.repeat(201) }, { id: 1.5 }]]) {
    odd.add(entity, rows)
  }
  expect(odd.pick(entity.name, 'id', createRandom(1))).toBeUndefined()
})
