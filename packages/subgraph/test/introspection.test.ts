// @module-tag postgres

import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printType } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Subgraph } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { openGallery } from './open-gallery.ts'

// Introspection does not use the database, so one engine is enough.
let opened: OpenTest
let gallery: Subgraph
beforeAll(async () => {
  opened = await openTest('postgres')
  gallery = await openGallery(opened.database)
})
afterAll(() => opened.close())

async function introspect() {
  const { data } = await gallery.execute({ query: getIntrospectionQuery({ inputValueDeprecation: false }) })
  return data as unknown as IntrospectionQuery
}

test('default: the introspection query of common tools builds a client schema', async () => {
  const schema = buildClientSchema(await introspect())
  const typeOf = (name: string) => {
    const type = schema.getType(name)
    return type && printType(type)
  }
  const collection = (type: string) =>
    `skip: Int = 0, first: Int = 100, orderBy: ${type}_orderBy, orderDirection: OrderDirection, where: ${type}_filter`
  expect(typeOf('Query')).toContain(
    'artist(id: ID!, block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny): Artist\n' +
      `  artists(${collection('Artist')}, block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny): [Artist!]!\n`,
  )
  expect(typeOf('Query')).toContain('_meta(block: Block_height): _Meta_\n')
  expect(typeOf('Artist')).toContain(`works(${collection('Work')}): [Work!]!`)
  expect(typeOf('Artist')).toContain('"""Somebody who makes works."""')
  expect(typeOf('Artist')).toContain('  profile: Profile\n')
  expect(typeOf('Block_height')).toBe('input Block_height {\n  hash: Bytes\n  number: Int\n  number_gte: Int\n}')
  expect(typeOf('BlockChangedFilter')).toBe('input BlockChangedFilter {\n  number_gte: Int!\n}')
  expect(typeOf('_Meta_')).toBe(
    'type _Meta_ {\n  block: _Block_!\n  deployment: String!\n  hasIndexingErrors: Boolean!\n}',
  )
  expect(typeOf('_Block_')).toBe(
    'type _Block_ {\n  hash: Bytes\n  number: Int!\n  timestamp: Int\n  parentHash: Bytes\n}',
  )
  expect(typeOf('_SubgraphErrorPolicy_')).toBe('enum _SubgraphErrorPolicy_ {\n  allow\n  deny\n}')
})

test('default: types are sorted and exclude those of introspection', async () => {
  const { __schema } = await introspect()
  const names = __schema.types.map(({ name }) => name)
  expect(names).toEqual([...names].sort())
  expect(names.filter((name) => name.startsWith('__'))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['BigDecimal', 'BigInt', 'Bytes', 'ID', 'Int8', 'Timestamp', 'Mood']))
  expect(__schema.queryType.name).toBe('Query')
  expect(__schema.mutationType).toBeNull()
  expect(__schema.subscriptionType).toBeNull()
  expect(__schema.directives.map(({ name }) => name)).toEqual([
    'skip',
    'include',
    'entity',
    'subgraphId',
    'derivedFrom',
  ])
})

const comparisons = ['', '_not', '_gt', '_lt', '_gte', '_lte', '_in', '_not_in']
const patterns = ['contains', 'starts_with', 'ends_with'].flatMap((name) => [
  `_${name}`,
  `_${name}_nocase`,
  `_not_${name}`,
  `_not_${name}_nocase`,
])
const few = ['', '_not', '_in', '_not_in']
const inList = ['', '_not', '_contains', '_not_contains']
const inTextList = ['', '_not', '_contains', '_contains_nocase', '_not_contains', '_not_contains_nocase']
const keys = (field: string, operators: readonly string[]) => operators.map((operator) => `${field}${operator}`)

test.each([
  [
    'Artist_filter',
    [
      ...keys('id', [...comparisons, '_contains', '_not_contains']),
      ...keys('name', [...comparisons, ...patterns]),
      ...keys('nickname', [...comparisons, ...patterns]),
      ...keys('mood', few),
      ...keys('moods', inList),
      ...keys('isActive', few),
      ...keys('rank', comparisons),
      ...keys('score', comparisons),
      ...keys('bornAt', comparisons),
      ...keys('tags', inTextList),
      ...keys('lots', inList),
      ...keys('marks', inList),
      ...keys('flags', inList),
      ...keys('mentor', [...comparisons, ...patterns, '_']),
      'works_',
      'profile_',
      'shows_',
    ],
  ],
  [
    'Work_filter',
    [
      ...keys('id', comparisons),
      ...keys('title', [...comparisons, ...patterns]),
      ...keys('artist', [...comparisons, ...patterns, '_']),
      ...keys('price', comparisons),
      ...keys('year', comparisons),
      ...keys('gallery', [...comparisons, '_']),
    ],
  ],
  [
    'Show_filter',
    [
      ...keys('id', comparisons),
      ...keys('title', [...comparisons, ...patterns]),
      ...keys('artists', [...inList, '_']),
      ...keys('galleries', [...inList, '_']),
    ],
  ],
])('default: %s has the operators of its fields, in order', async (name, expected) => {
  const { data } = await gallery.execute({ query: `{ __type(name: "${name}") { kind inputFields { name } } }` })
  expect(data?.['__type']).toEqual({
    kind: 'INPUT_OBJECT',
    inputFields: [...expected, '_change_block', 'and', 'or'].map((key) => ({ name: key })),
  })
})

test('default: operands have the type of their field', async () => {
  const schema = buildClientSchema(await introspect())
  const printed = [schema.getType('Work_filter'), schema.getType('Show_filter'), schema.getType('Artist_filter')]
    .map((type) => (type ? printType(type) : ''))
    .join('\n')
  for (const line of [
    'artist: String',
    'artist_in: [String!]',
    'artist_: Artist_filter',
    'gallery: Int',
    'gallery_not_in: [Int!]',
    'price_gt: BigInt',
    'artists: [String!]',
    'galleries_contains: [Int!]',
    'mood_in: [Mood!]',
    'moods: [Mood!]',
    'lots_contains: [BigInt!]',
    'works_: Work_filter',
    'and: [Work_filter]',
    '_change_block: BlockChangedFilter',
  ]) {
    expect(printed).toContain(`  ${line}\n`)
  }
})

test('default: orderBy lists every field, and after a single reference its scalars', async () => {
  const { data } = await gallery.execute({ query: '{ __type(name: "Work_orderBy") { enumValues { name } } }' })
  const artist = ['id', 'name', 'nickname', 'mood', 'isActive', 'rank', 'score', 'bornAt'].map(
    (name) => `artist__${name}`,
  )
  const expected = ['id', 'title', 'artist', ...artist, 'price', 'year', 'gallery', 'gallery__id', 'gallery__name']
  expect(data?.['__type']).toEqual({ enumValues: expected.map((name) => ({ name })) })
})

test('behavior: unknown and internal types are null, fragments and variables work', async () => {
  const query =
    'query ($n: String!) { a: __type(name: $n) { ...N } b: __type(name: "__Type") { name } } fragment N on __Type { name }'
  expect(await gallery.execute({ query, variables: { n: 'Nope' } })).toEqual({ data: { a: null, b: null } })
  expect(await gallery.execute({ query, variables: { n: 'Mood' } })).toEqual({ data: { a: { name: 'Mood' }, b: null } })
})
