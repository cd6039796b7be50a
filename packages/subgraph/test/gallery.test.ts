// @module-tag postgres

import { listFailing } from '@tallystick/workbench/list-failing'
import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Subgraph } from '../src/index.ts'
import { galleryFailures, galleryVariableFailures } from './gallery-failures.ts'
import { gallerySelections } from './gallery-selections.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { blockAt, openGallery } from './open-gallery.ts'

const [a, b, c] = ['0x0a', '0x0b', '0x0c0d']
const max = '115792089237316195423570985008687907853269984665640564039457584007913129639935'

describe.each(databaseEngines)('%s', (engine) => {
  let opened: OpenTest
  let gallery: Subgraph
  const dataOf = async (query: string, variables: Record<string, unknown> = {}) => {
    const { data, errors } = await gallery.execute({ query, variables })
    expect(errors).toBeUndefined()
    return data
  }
  beforeAll(async () => {
    opened = await openTest(engine)
    gallery = await openGallery(opened.database)
  })
  afterAll(() => opened.close())

  test('behavior: each selection has its ids, in order', async () => {
    const failing = await listFailing(gallerySelections, async ([field, given, ids]) => {
      const data = await dataOf(`{ ${field}${given && `(${given})`} { id } }`)
      expect(data?.[field]).toEqual(ids.map((id) => ({ id })))
    })
    expect(failing).toEqual([])
  })

  test('error: each invalid query has its message and no data', async () => {
    const failing = await listFailing(galleryFailures, async ([query, message]) => {
      const result = await gallery.execute({ query })
      expect(result).not.toHaveProperty('data')
      expect(result.errors?.[0]?.message).toContain(message)
    })
    expect(failing).toEqual([])
  })

  test('error: each invalid variable has its message and no data', async () => {
    const failing = await listFailing(galleryVariableFailures, async ([query, variables, message]) => {
      const result = await gallery.execute({ query, variables })
      expect(result).not.toHaveProperty('data')
      expect(result.errors?.[0]?.message).toContain(message)
    })
    expect(failing).toEqual([])
  })

  test('default: every scalar is in API form', async () => {
    const fields = 'name nickname mood moods isActive rank score bornAt tags lots marks flags __typename'
    expect(await dataOf(`{ a: artist(id: "0x0a") { id ${fields} } b: artist(id: "0x0b") { id ${fields} } }`)).toEqual({
      a: {
        id: a,
        name: 'Ada',
        nickname: 'The %_\\ Painter',
        mood: 'CALM',
        moods: ['CALM', 'LOUD'],
        isActive: true,
        rank: '9223372036854775807',
        score: '1.5',
        bornAt: '1700000000000001',
        tags: ['Oil', 'Ink'],
        lots: [max, '-1'],
        marks: ['0x', '0xab'],
        flags: [true, false],
        __typename: 'Artist',
      },
      b: {
        id: b,
        name: 'bob',
        nickname: null,
        mood: 'LOUD',
        moods: [],
        isActive: false,
        rank: '-5',
        score: '-0.0000000000000000000000000000000001234567890123456789012345678901235',
        bornAt: '-1',
        tags: ['ink'],
        lots: null,
        marks: null,
        flags: null,
        __typename: 'Artist',
      },
    })
  })

  test('behavior: references, derived lists and derived singles, several levels deep', async () => {
    const query = `{
      artists { id mentor { id mentor { name } } profile { id artist { name } }
        works(orderBy: year, orderDirection: desc) { id gallery { id works(first: 1) { id } } }
        shows { id artists { id } galleries { name } } } }`
    expect(await dataOf(query)).toEqual({
      artists: [
        {
          id: a,
          mentor: null,
          profile: { id: 'p1', artist: { name: 'Ada' } },
          works: [{ id: 'w1', gallery: { id: '1', works: [{ id: 'w1' }] } }],
          shows: [{ id: 's1', artists: [{ id: a }, { id: b }], galleries: [{ name: 'North' }, { name: 'South' }] }],
        },
        {
          id: b,
          mentor: { id: a, mentor: null },
          profile: null,
          works: [
            { id: 'w3', gallery: { id: '1', works: [{ id: 'w1' }] } },
            { id: 'w4', gallery: { id: '20', works: [{ id: 'w4' }] } },
          ],
          shows: [
            { id: 's1', artists: [{ id: a }, { id: b }], galleries: [{ name: 'North' }, { name: 'South' }] },
            { id: 's2', artists: [{ id: b }], galleries: [] },
          ],
        },
        { id: c, mentor: { id: b, mentor: { name: 'Ada' } }, profile: null, works: [], shows: [] },
      ],
    })
  })

  test('behavior: nested collections have their own filter, order and range at the block of the root field', async () => {
    const query = `{ artists(block: {number: 2}) {
      id works(where: {price_not: null}, orderBy: price, skip: 1, first: 1) { id price } } }`
    expect(await dataOf(query)).toEqual({
      artists: [
        { id: a, works: [{ id: 'w1', price: '11' }] },
        { id: b, works: [] },
        { id: c, works: [] },
      ],
    })
  })

  test('behavior: a missing entity is null, whatever the form of its id', async () => {
    expect(await dataOf('{ a: work(id: "nope") { id } b: gallery(id: 20) { id } c: artist(id: "0A") { id } }')).toEqual(
      {
        a: null,
        b: { id: '20' },
        c: { id: a },
      },
    )
  })

  test('behavior: fragments, directives and operation names are supported', async () => {
    const query = `query A { __typename } query B($yes: Boolean!, $no: Boolean = false) { ...R }
      fragment R on Query { work(id: "w1") { ...W ...S @skip(if: $yes) ... on Work @include(if: $no) { year } ... { title } } }
      fragment W on Work { id artist { ...N } } fragment N on Artist { name } fragment S on Work { price }`
    const result = await gallery.execute({ query, operationName: 'B', variables: { yes: true } })
    expect(result).toEqual({ data: { work: { id: 'w1', artist: { name: 'Ada' }, title: 'One' } } })
    expect(await gallery.execute({ query, operationName: 'A' })).toEqual({ data: { __typename: 'Query' } })
    expect(await gallery.execute({ query, operationName: 'C' })).toEqual({
      errors: [{ message: 'Unknown operation named "C".' }],
    })
  })

  test('behavior: a single operation runs under any name, and __typename is never skipped', async () => {
    expect(await gallery.execute({ query: '{ __typename @skip(if: true) }', operationName: 'X' })).toEqual({
      data: { __typename: 'Query' },
    })
    expect(await dataOf('{ work(id: 5000000000) { id } works(first: 1) { __typename @include(if: false) } }')).toEqual({
      work: null,
      works: [{ __typename: 'Work' }],
    })
  })

  test('behavior: a skipped root field gives an empty answer, a level without fields empty objects', async () => {
    expect(await dataOf('{ works @skip(if: true) { id } }')).toEqual({})
    expect(await dataOf('{ works(first: 1) { id @skip(if: true) } }')).toEqual({ works: [{}] })
  })

  test('behavior: variables of every kind are supported', async () => {
    const query = `query ($id: ID! = 5, $w: Work_filter, $d: OrderDirection = desc, $r: Int8, $s: BigDecimal, $p: BigInt) {
      a: works(where: $w, orderBy: id, orderDirection: $d) { id } b: artists(where: {rank: $r}) { id }
      c: artists(where: {score: $s}) { id } d: works(where: {price_lt: $p}) { id } e: work(id: $id) { id } }`
    const variables = { w: { year_in: 2001 }, r: 10, s: 1.5, p: 2 ** 53 - 1, more: { x: 1 } }
    expect(await dataOf(query, variables)).toEqual({
      a: [{ id: 'w1' }],
      b: [{ id: c }],
      c: [{ id: a }],
      d: [{ id: 'w1' }, { id: 'w4' }],
      e: null,
    })
    expect(await dataOf('query ($s: String) { works(where: {title: $s}) { id } }')).toEqual({ works: [] })
    expect(
      await dataOf('query ($d: OrderDirection = desc) { works(orderBy: id, orderDirection: $d) { id } }', { d: null }),
    ).toEqual({ works: [{ id: 'w1' }, { id: 'w3' }, { id: 'w4' }] })
  })

  test('behavior: _meta describes the head, the block of a hash or the block of a number', async () => {
    const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
    const query = `query ($h: Bytes!) {
      _meta { __typename deployment hasIndexingErrors block { __typename number hash timestamp parentHash } }
      at: _meta(block: {hash: $h}) { block { number hash } }
      gte: _meta(block: {number_gte: 1}) { block { number hash } }
      number: _meta(block: {number: 3}) { block { number hash timestamp parentHash } } }`
    expect(await dataOf(query, { h: hash(2) })).toEqual({
      _meta: {
        __typename: '_Meta_',
        deployment: 'QmGallery',
        hasIndexingErrors: false,
        block: { __typename: '_Block_', number: 3, hash: hash(3), timestamp: 1_700_000_036, parentHash: hash(2) },
      },
      at: { block: { number: 2, hash: hash(2) } },
      gte: { block: { number: 3, hash: hash(3) } },
      number: { block: { number: 3, hash: null, timestamp: null, parentHash: null } },
    })
  })

  test('behavior: root fields at different blocks have the order of graph-node', async () => {
    const data = await dataOf(`{ __typename _meta { block { number } }
      before: works(block: {number: 1}) { id price } __type(name: "Mood") { name } now: works { id price } }`)
    expect(Object.keys(data ?? {})).toEqual(['before', 'now', '_meta', '__typename', '__type'])
    expect(data).toMatchObject({
      before: [{ price: '10' }, { price: '9' }, { price: null }, { price: '100' }],
      now: [{ price: '11' }, { price: null }, { price: '100' }],
    })
  })

  test('behavior: root fields that fail at one block leave the data of other blocks', async () => {
    const query =
      '{ a: works(first: 1) { id } b: works(first: 0, block: {number: 1}) { id } c: works(first: 1) { id } }'
    expect(await gallery.execute({ query })).toEqual({
      data: { a: [{ id: 'w1' }], c: [{ id: 'w1' }] },
      errors: [{ message: 'The `first` argument must be between 0 and 1000, but is 0' }],
    })
  })

  test('error: an unavailable block fails the whole request', async () => {
    const result = await gallery.execute({ query: '{ a: works { id } b: works(block: {number: 99}) { id } }' })
    expect(Object.keys(result)).toEqual(['errors'])
  })

  test('behavior: the answer has the head it was read from', async () => {
    expect((await gallery.answer({ query: '{ works { id } }' })).head).toEqual(gallery.head)
    expect((await gallery.answer({ query: '{ __typename }' })).head).toBeUndefined()
  })

  test('error: a derived single with two children and a required reference without target are rejected', async () => {
    const other = await openGallery(opened.database, 'broken')
    await other.commit(blockAt(4), [
      { entity: 'Profile', id: 'p2', set: { artist: '0x0a' } },
      { entity: 'Work', id: 'w5', set: { title: 'Lost', artist: '0xff', year: 1, gallery: '77' } },
    ])
    expect(await other.execute({ query: '{ artists {\n profile { id } } }' })).toEqual({
      errors: [
        {
          message: 'Ambiguous result for derived field `profile`: Multiple `Profile` entities refer back via `artist`',
          locations: [{ line: 2, column: 2 }],
        },
      ],
    })
    expect(await other.execute({ query: '{ work(id: "w5") { gallery { id } } }' })).toEqual({
      data: { work: { gallery: null } },
    })
    const { errors } = await other.execute({ query: '{ works { artist { id } } }' })
    expect(errors?.[0]?.message).toBe('Null value resolved for non-null field `artist`')
  })
})
