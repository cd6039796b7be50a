// @module-tag postgres

import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSubgraph, type Subgraph } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { blockAt, gallerySchema, openGallery } from './open-gallery.ts'

const metacharacters = [
  `'; drop schema gallery cascade; --`,
  '"',
  '$1',
  '\\',
  '%',
  '\0',
  '\ud800',
  '\udc00x',
  '{}',
  "E'\\'",
]

const nest = (depth: number, inner: string) => `${'works { artist { '.repeat(depth)}${inner}${' } }'.repeat(depth)}`
const bomb = (levels: number) => {
  const fragments = Array.from({ length: levels }, (_, level) => {
    const next = level + 1 < levels ? `...F${level + 1}` : 'id'
    return `fragment F${level} on Artist { a: mentor { ${next} } b: mentor { ${next} } }`
  })
  return `{ artists { ...F0 } } ${fragments.join(' ')}`
}

const answered: readonly (readonly [name: string, query: string])[] = [
  ['20 levels', `{ artists { ${nest(10, 'id')} } }`],
  ['a fragment that goes deep', bomb(8)],
  ['1,000 aliases', `{ ${Array.from({ length: 1_000 }, (_, i) => `a${i}: works(first: 1) { id }`).join(' ')} }`],
  ['a long list', `{ works(where: {id_in: [${'"w1" '.repeat(9_000)}]}) { id } }`],
  ['a huge number', `{ works(where: {price: ${'9'.repeat(131_072)}}) { id } }`],
  ['an alias of every object', '{ __proto__: works(first: 1) { constructor: id __proto__: title } }'],
]

const rejected: readonly (readonly [name: string, query: string, error: RegExp])[] = [
  ['60 levels', `{ artists { ${nest(30, 'id')} } }`, /Recursion limit exceeded/],
  ['an endless bracket', '{'.repeat(100_000), /tokens|Recursion/],
  ['endless lists', `{ works(where: {id_in: ${'['.repeat(9_000)}`, /Recursion limit exceeded/],
  ['a fragment bomb', bomb(30), /more than 10000 fields/],
  ['one field 3,000 times', `{ works { ${'id '.repeat(3_000)} } }`, /Validation aborted/],
  ['too many tokens', `{ works(where: {id_in: [${'"w1" '.repeat(20_000)}]}) { id } }`, /more than 20000 tokens/],
  ['a number beyond all', `{ works(where: {price: ${'9'.repeat(131_073)}}) { id } }`, /Failed to decode `BigInt`/],
  [
    'much of the schema',
    `{ __schema { types { inputFields { ${Array.from({ length: 1_001 }, (_, i) => `a${i}: name`).join(' ')} } } } }`,
    /more than 1000 fields/,
  ],
  [
    'deep introspection',
    `{ __schema { types { ${'fields { type { '.repeat(8)} name ${'} } '.repeat(8)} } } }`,
    /introspection depth/,
  ],
]

const wide = (count: number) => ({ or: Array.from({ length: count }, (_, index) => ({ id: `w${index}` })) })
const deep = (count: number) => {
  let where: object = { id: 'w1' }
  for (let level = 0; level < count; level++) where = { and: [where] }
  return where
}

describe('postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  let opened: OpenTest
  let gallery: Subgraph
  beforeAll(async () => {
    opened = await openTest(engine)
    gallery = await openGallery(opened.database)
  })
  afterAll(() => opened.close())

  const filterBy = (w: object) =>
    gallery.execute({ query: 'query ($w: Work_filter) { works(where: $w) { id } }', variables: { w } })

  test.each(answered)('behavior: %s is answered', async (_, query) => {
    expect((await gallery.execute({ query })).errors).toBeUndefined()
  })

  test('error: the database rejects a pattern that ends in a backslash', async () => {
    const query = String.raw`{ works(where: {title_ends_with: "\\"}) { id } }`
    expect((await gallery.execute({ query })).errors?.[0]?.message).toMatch(/Store error: LIKE pattern/)
  })

  // These do not reach the database, so one engine is enough.
  if (engine === 'postgres') {
    test.each(rejected)('error: %s is rejected', async (_, query, error) => {
      expect((await gallery.execute({ query })).errors?.[0]?.message).toMatch(error)
    })

    test('error: a filter in variables beyond the limits is rejected', async () => {
      expect((await filterBy(wide(100_000))).errors?.[0]?.message).toBe('A filter has more than 5000 values.')
      expect((await filterBy(deep(100_000))).errors?.[0]?.message).toContain('Recursion limit exceeded')
    })
  }

  test('behavior: names of Object.prototype are ordinary keys', async () => {
    const { data } = await gallery.execute({
      query: '{ __proto__: works(first: 1) { constructor: id __proto__: title } }',
    })
    expect(JSON.stringify(data)).toBe('{"__proto__":[{"constructor":"w1","__proto__":"One"}]}')
  })

  test('behavior: 100,000 ids in a variable are one parameter', async () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => `w${index}`)
    const query = 'query ($ids: [ID!]) { works(where: {id_in: $ids}) { id } }'
    expect((await gallery.execute({ query, variables: { ids } })).data?.['works']).toHaveLength(3)
  })

  test('behavior: a filter in variables may be wide or deep within limits', async () => {
    expect((await filterBy(wide(4_000))).data?.['works']).toHaveLength(3)
    expect((await filterBy(deep(24))).data?.['works']).toHaveLength(1)
  })

  test.each(metacharacters)('behavior: %j has no special meaning in any string', async (text) => {
    const literal = JSON.stringify(text)
    const operators = ['', '_not', '_gt', '_in', '_not_in', '_contains', '_starts_with', '_ends_with_nocase']
    for (const operator of operators) {
      const query = `query ($t: String!) { works(where: {title${operator}: $t}) { id } }`
      const [one, other] = [
        await gallery.execute({ query: query.replace('($t: String!)', '').replace('$t', literal) }),
        await gallery.execute({ query, variables: { t: text } }),
      ]
      expect(one.errors ?? one.data).toBeDefined()
      expect(other.errors ?? other.data).toBeDefined()
    }
    for (const query of [
      `{ work(id: ${literal}) { id } }`,
      `{ artist(id: ${literal}) { id } }`,
      `{ works(block: {hash: ${literal}}) { id } }`,
      `{ works(orderBy: ${literal}) { id } }`,
      `{ artists(where: {tags_contains: [${literal}]}) { id } }`,
      `{ artists(where: {tags_contains_nocase: [${literal}]}) { id } }`,
      `{ works(where: {artist_contains: ${literal}}) { id } }`,
      `{ works(where: {price: ${literal}}) { id } }`,
      `{ __type(name: ${literal}) { name } }`,
      `{ works { id } } # ${text}`,
      text,
    ]) {
      const result = await gallery.execute({ query, operationName: undefined })
      expect(Object.keys(result).length).toBeGreaterThan(0)
    }
    const all = await gallery.execute({ query: '{ works { id } }', operationName: '' })
    expect(all).toEqual({ data: { works: [{ id: 'w1' }, { id: 'w3' }, { id: 'w4' }] } })
  })

  test('behavior: stored metacharacters are returned unchanged', async () => {
    const namespace = 'strange'
    const strange = await openSubgraph({ database: opened.database, schema: gallerySchema, namespace })
    const texts = metacharacters.filter((text) => !/[\0\p{Surrogate}]/u.test(text))
    await strange.commit(
      blockAt(1),
      texts.map((text) => ({ entity: 'Profile', id: text, set: { text, artist: '0x' } })),
    )
    for (const text of texts) {
      const query = 'query ($t: String!, $id: ID!) { profiles(where: {text: $t}) { id } profile(id: $id) { text } }'
      const result = await strange.execute({ query, variables: { t: text, id: text } })
      expect(result).toEqual({ data: { profiles: [{ id: text }], profile: { text } } })
    }
  })

  test('behavior: any text and any variables are answered or rejected', async () => {
    const fragments = fc.constantFrom(
      ...['{', '}', '(', ')', '[', ']', ':', '$', '@', '!', '...', '"', '"""', '#', 'query', 'fragment', 'on', 'works'],
      ...[
        'artists',
        'id',
        'where',
        'first',
        'block',
        'number',
        'or',
        'and',
        'null',
        '1',
        '-1',
        '1e400',
        'true',
        '_meta',
      ],
    )
    // Not the unit "binary" of fast-check: it builds a map of all code points, which takes a second.
    const codePoint = fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code))
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: codePoint }),
      fc.array(fragments, { maxLength: 30 }).map((words) => words.join(' ')),
    )
    await fc.assert(
      fc.asyncProperty(text, fc.dictionary(fc.string(), fc.jsonValue()), async (query, variables) => {
        const result = await gallery.execute({ query, variables: variables as Record<string, unknown> })
        expect(result.errors ?? result.data).toBeDefined()
      }),
      { seed: 324, numRuns: 300 },
    )
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (where, id) => {
        const query = 'query ($w: Artist_filter, $id: ID!) { artists(where: $w) { id } artist(id: $id) { id } }'
        const result = await gallery.execute({ query, variables: { w: where, id } })
        expect(result.errors ?? result.data).toBeDefined()
      }),
      { seed: 324, numRuns: 200 },
    )
  })

  test.each([undefined, null, 5, {}, []])('behavior: %j instead of a query is rejected', async (query) => {
    expect((await gallery.execute({ query } as never)).errors?.[0]?.message).toBe('The "query" field is not a string')
  })

  test('behavior: variables that are not an object are ignored', async () => {
    for (const variables of [null, 5, 'x', []]) {
      const result = await gallery.execute({ query: '{ works(first: 1) { id } }', variables } as never)
      expect(result.errors).toBeUndefined()
    }
  })

  test('error: an answer with too many entities is rejected', async () => {
    const small = await openSubgraph({
      database: opened.database,
      schema: gallerySchema,
      namespace: 'gallery',
      answerEntitiesMax: 5,
    })
    expect((await small.execute({ query: '{ works { id } }' })).errors).toBeUndefined()
    const { errors } = await small.execute({ query: '{ artists { works { id } } }' })
    expect(errors?.[0]?.message).toContain('The answer has more than 5 entities')
  })

  test('error: a cancelled query times out, and the next one is answered', async () => {
    const query = '{ artists { id works { id } } }'
    const controller = new AbortController()
    const answering = gallery.execute({ query, signal: controller.signal })
    controller.abort()
    const timedOut = { errors: [{ message: 'Query timed out', extensions: { code: 'query_timeout' } }] }
    expect(await answering).toEqual(timedOut)
    expect(await gallery.execute({ query, signal: AbortSignal.abort() })).toEqual(timedOut)
    expect((await gallery.execute({ query, signal: new AbortController().signal })).errors).toBeUndefined()
  })

  test('error: an internal error is reported to the operator, not to the client', async () => {
    const told: unknown[] = []
    const broken = await openSubgraph({
      database: opened.database,
      schema: 'type Lost @entity { id: ID! }',
      namespace: 'lost',
      onInternalError: (error) => told.push(error),
    })
    await broken.commit(blockAt(1), [])
    await opened.database.query('drop table "lost"."Lost"')
    expect(await broken.execute({ query: '{ losts { id } }' })).toEqual({
      errors: [{ message: 'Store error: internal error', extensions: { code: 'internal_error' } }],
    })
    expect(told).toHaveLength(1)
  })
}

test('error: PostgreSQL cancels a statement at the time limit', async () => {
  const { database, close } = await openTest('postgres')
  const slow = await openSubgraph({ database, schema: gallerySchema, namespace: 'slow', queryTimeoutMs: 300 })
  await slow.commit(blockAt(1), [])
  const result = await database.transaction(async (transaction) => {
    await transaction.query('lock table "slow"."Work" in access exclusive mode')
    return slow.execute({ query: '{ works { id } }' })
  })
  expect(result).toEqual({ errors: [{ message: 'Query timed out', extensions: { code: 'query_timeout' } }] })
  expect(await slow.execute({ query: '{ works { id } }' })).toEqual({ data: { works: [] } })
  await close()
})
