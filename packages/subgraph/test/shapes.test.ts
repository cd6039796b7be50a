// @module-tag postgres

import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Subgraph } from '../src/index.ts'
import { type OpenTest, openTest } from './open-fixture.ts'
import { blockAt, openGallery } from './open-gallery.ts'

// A repeated query uses a statement that was compiled for the variables of an earlier request.
describe.each(databaseEngines)('%s', (engine) => {
  let opened: OpenTest
  let gallery: Subgraph
  const ask = (query: string, variables: Record<string, unknown> = {}) => gallery.execute({ query, variables })
  const idsOf = async (query: string, variables: Record<string, unknown>) => {
    const { data = {}, errors } = await ask(query, variables)
    return errors?.[0]?.message ?? (data['works'] as readonly { readonly id: string }[]).map(({ id }) => id)
  }
  beforeAll(async () => {
    opened = await openTest(engine)
    gallery = await openGallery(opened.database)
  })
  afterAll(() => opened.close())

  test('behavior: each request has its own variables', async () => {
    const query = 'query ($price: BigInt) { works(where: { price: $price }) { id } }'
    expect(await idsOf(query, { price: '11' })).toEqual(['w1'])
    expect(await idsOf(query, { price: '100' })).toEqual(['w4'])
    expect(await idsOf(query, { price: 11 })).toEqual(['w1'])
    expect(await idsOf(query, { price: null })).toEqual(['w3'])
    expect(await idsOf(query, {})).toEqual(['w3'])
    expect(await idsOf(query, { price: '-0011' })).toEqual([])
    expect(await idsOf(query, { price: '+0011' })).toEqual(['w1'])
    expect(await idsOf(query, { price: '1'.repeat(300) })).toEqual([])
  })

  test('error: a wrong value is rejected, and the next value is answered', async () => {
    const query = 'query ($price: BigInt, $first: Int) { works(first: $first, where: { price: $price }) { id } }'
    expect(await idsOf(query, { price: '11', first: 1 })).toEqual(['w1'])
    expect(await idsOf(query, { price: 'x', first: 1 })).toBe(
      'Failed to decode `BigInt` value: `invalid digit found in string`',
    )
    expect(await idsOf(query, { price: '11', first: 0 })).toContain('must be between 0 and 1000')
    expect(await idsOf(query, { price: 'x', first: 0 })).toContain('must be between 0 and 1000')
    expect(await idsOf(query, { price: '11', first: 2 })).toEqual(['w1'])
  })

  test('behavior: a single entity is found by id, or null', async () => {
    const query = 'query ($id: ID!) { work(id: $id) { id title } }'
    expect((await ask(query, { id: 'w1' })).data).toEqual({ work: { id: 'w1', title: expect.any(String) } })
    expect((await ask(query, { id: "none'); --" })).data).toEqual({ work: null })
    expect((await ask(query, { id: 'w4' })).data).toMatchObject({ work: { id: 'w4' } })
  })

  test('behavior: a variable that affects more than a parameter is evaluated for each request', async () => {
    const sorted = 'query ($by: Work_orderBy) { works(orderBy: $by, orderDirection: desc, first: 1) { id } }'
    expect(await idsOf(sorted, { by: 'id' })).toEqual(['w4'])
    expect(await idsOf(sorted, { by: 'price' })).toEqual(['w3'])
    const matching = 'query ($text: String!) { works(where: { title_contains: $text }) { id } }'
    expect(await idsOf(matching, { text: 'hr' })).toEqual(['w3'])
    expect(await idsOf(matching, { text: 'our' })).toEqual(['w4'])
    const pinned = 'query ($hash: Bytes!) { works(block: { hash: $hash }) { id } }'
    expect(await idsOf(pinned, { hash: gallery.head?.hash })).toEqual(['w1', 'w3', 'w4'])
    expect(await idsOf(pinned, { hash: '0x00' })).toContain('no block with that hash found')
    const skipping = 'query ($no: Boolean!) { works(first: 1) { id title @skip(if: $no) } }'
    expect((await ask(skipping, { no: true })).data).toEqual({ works: [{ id: 'w1' }] })
    expect((await ask(skipping, { no: false })).data).toEqual({ works: [{ id: 'w1', title: expect.any(String) }] })
  })

  test('behavior: the limit on fields applies to each request on its own', async () => {
    const block = Array.from({ length: 500 }, (_, index) => `n${index}: number`).join(' ')
    const query = `query ($id: ID!) { work(id: $id) { id } _meta { block { ${block} } } }`
    for (let time = 0; time < 25; time++) expect((await ask(query, { id: 'w1' })).errors).toBeUndefined()
  })

  test('behavior: a field has its alias, whatever the alias is', async () => {
    const long = 'a'.repeat(63)
    const tooLong = 'a'.repeat(64)
    for (const aliases of [
      ['k', 'h', 'json', 'c', 'ctid', 'xmin', 'c0', 'number'],
      ['__proto__', long],
      [long, tooLong],
    ]) {
      const query = `{ works(first: 1) { ${aliases.map((alias) => `${alias}: id`).join(' ')} year __typename } }`
      const { data = {} } = await ask(query)
      const [work] = data['works'] as readonly Record<string, unknown>[]
      expect(Object.entries(work ?? {})).toEqual([
        ...aliases.map((alias) => [alias, 'w1']),
        ['year', expect.any(Number)],
        ['__typename', 'Work'],
      ])
    }
  })

  test('behavior: every field has the same value in one statement and in a snapshot', async () => {
    const fields = 'id name nickname mood isActive rank score bornAt moods tags lots marks flags'
    const { data: plain } = await ask(`{ artists { ${fields} } _meta { block { number } } }`)
    const { data: nested = {} } = await ask(`{ artists { ${fields} works { id } } _meta { block { number } } }`)
    const withoutWorks = (nested['artists'] as readonly Record<string, unknown>[]).map(({ works, ...rest }) => rest)
    expect(plain).toEqual({ ...nested, artists: withoutWorks })
  })

  test('behavior: texts that need escapes are the same, and any number of fields', async () => {
    const texts = [
      `"quoted" 'single' {"id":"w1"},`,
      '\\ \\" \\u0000',
      '\n\r\t\b\f\u0001\u001f\u007f',
      '\u2028 ü 日本 🎨',
      '%s $1 null',
      '',
      null,
    ]
    const changes = texts.map((text, index) => ({ entity: 'Profile', id: `${index}"`, set: { text, artist: '0x0a' } }))
    await gallery.commit(blockAt(4), changes)
    const { data } = await ask('{ profiles(where: { id_not: "p1" }) { id text } }')
    expect(data).toEqual({ profiles: changes.map(({ id, set: { text } }) => ({ id, text })) })
    // PostgreSQL's functions take 100 arguments, and a statement of JSON has 1,000 fields at most.
    for (const count of [1, 49, 50, 51, 100, 1_000, 1_001]) {
      const keys = Array.from({ length: count }, (_, index) => `a${index}`)
      const { data: wide } = await ask(`{ profile(id: "0\\"") { ${keys.map((key) => `${key}: text`).join(' ')} } }`)
      expect(wide).toEqual({ profile: Object.fromEntries(keys.map((key) => [key, texts[0]])) })
    }
  })
})
