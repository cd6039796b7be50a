// @module-tag postgres

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, openSubgraph, type QueryFailureCode, type Subgraph } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { blockAt, gallerySchema } from './open-gallery.ts'

// Codes do not depend on the database engine, so one is enough. database-away.test.ts of the API stops a database.
let opened: OpenTest
let subgraphs: Readonly<Record<'indexed' | 'empty' | 'broken', Subgraph>>
beforeAll(async () => {
  opened = await openTest('postgres')
  const { database } = opened
  const open = (namespace: string) => openSubgraph({ database, schema: gallerySchema, namespace })
  subgraphs = { indexed: await open('indexed'), empty: await open('empty'), broken: await open('broken') }
  for (const subgraph of [subgraphs.indexed, subgraphs.broken]) await subgraph.commit(blockAt(1), [])
  await database.query('drop table "broken"."Work"')
})
afterAll(() => opened.close())

type Case = readonly [code: QueryFailureCode, subgraph: 'indexed' | 'empty' | 'broken', query: string]

test.each<Case>([
  ['invalid_query', 'indexed', '{ works {'],
  ['invalid_query', 'indexed', '{ nothing { id } }'],
  ['invalid_query', 'indexed', 'mutation { works { id } }'],
  ['invalid_query', 'indexed', '{ works(first: 0) { id } }'],
  ['invalid_query', 'indexed', '{ works(block: {hash: "0x99"}) { id } }'],
  ['invalid_query', 'indexed', '{ works(block: {number: 0}) { id } }'],
  ['invalid_query', 'indexed', '{ work(id: "data is therefore not yet available") { nothing } }'],
  ['not_started', 'empty', '{ works { id } }'],
  ['not_started', 'empty', '{ artists { works { id } } }'],
  ['not_started', 'empty', '{ _meta { block { number } } }'],
  ['block_not_indexed', 'indexed', '{ works(block: {number: 9}) { id } }'],
  ['block_not_indexed', 'indexed', '{ works(block: {number_gte: 9}) { id } }'],
  ['internal_error', 'broken', '{ works { id } }'],
  ['internal_error', 'broken', '{ artists { id } works { id } }'],
])('error: %s on the %s subgraph for %s', async (code, name, query) => {
  const answer = await subgraphs[name].answer({ query })
  expect(answer).toMatchObject({ data: undefined, failure: { code } } satisfies Partial<Answer>)
  expect(Object.keys(await subgraphs[name].execute({ query }))).toEqual(['errors'])
})

test.each(['{ works { id } }', '{ artists { works { id } } }'])(
  'error: query_timeout for a cancelled %s',
  async (query) => {
    const { failure } = await subgraphs.indexed.answer({ query, signal: AbortSignal.abort() })
    expect(failure).toEqual({ code: 'query_timeout' })
  },
)

test('default: an answer with data has no failure, in part or in whole', async () => {
  const whole = await subgraphs.indexed.answer({ query: '{ works { id } }' })
  expect(whole).toMatchObject({ data: '{"works":[]}', errors: undefined, failure: undefined })
  const part = await subgraphs.indexed.answer({
    query: '{ works { id } past: works(first: 0, block: {number: 1}) { id } }',
  })
  expect(part).toMatchObject({ data: '{"works":[]}', errors: [{ message: expect.any(String) }], failure: undefined })
})
