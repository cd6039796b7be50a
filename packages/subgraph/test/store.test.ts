// @module-tag postgres

import { databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSubgraph, type Subgraph, SubgraphError } from '../src/index.ts'
import { fixtureBlocks, fixtureSchema, type OpenTest, openFixture, openTest } from './open-fixture.ts'
import { blockAt, galleryBlocks, gallerySchema, openGallery } from './open-gallery.ts'
import { readTables } from './read-tables.ts'

const schema = 'type Thing @entity { id: ID! name: String! size: Int tags: [String!] next: Thing }'
const make = (id: string, set: Record<string, unknown> | null) => ({ entity: 'Thing', id, set })

describe.each(databaseEngines)('%s', (engine) => {
  let opened: OpenTest
  let shared: Subgraph
  let spaces = 0
  const openThings = async (namespace = `things${++spaces}`) => {
    const things = await openSubgraph({ database: opened.database, schema, namespace, deployment: 'Qm' })
    const all = async (block = '') => {
      const query = `{ things${block && `(block: {number: ${block}})`} { id name size tags next { id } } }`
      const { data, errors } = await things.execute({ query })
      expect(errors).toBeUndefined()
      return data?.['things']
    }
    return { things, all, namespace }
  }
  /** Returns the shared gallery at block 3. Creating its tables takes longer than a test. */
  const useGallery = () => {
    onTestFinished(() => shared.revert(3))
    return shared
  }
  beforeAll(async () => {
    opened = await openTest(engine)
    shared = await openGallery(opened.database)
  })
  afterAll(() => opened.close())

  test('default: set merges, null removes, and each block has its state', async () => {
    const { things, all } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: 'A', size: 1, tags: ['x'] }), make('b', { id: 'b', name: 'B' })])
    await things.commit(blockAt(2), [make('a', { size: 2, next: 'b', name: undefined }), make('c', null)])
    await things.commit(blockAt(5), [make('a', { tags: null, next: null }), make('b', null)])
    await things.commit(blockAt(6), [make('b', { name: 'again' })])
    const b = { id: 'b', name: 'B', size: null, tags: null, next: null }
    expect(await all('1')).toEqual([{ id: 'a', name: 'A', size: 1, tags: ['x'], next: null }, b])
    expect(await all('2')).toEqual([{ id: 'a', name: 'A', size: 2, tags: ['x'], next: { id: 'b' } }, b])
    expect(await all('4')).toEqual(await all('2'))
    expect(await all('5')).toEqual([{ id: 'a', name: 'A', size: 2, tags: null, next: null }])
    expect(await all()).toEqual([
      { id: 'a', name: 'A', size: 2, tags: null, next: null },
      { ...b, name: 'again' },
    ])
    expect(things.head).toMatchObject(blockAt(6))
  })

  test('behavior: blocks are replaced in one step, which readers see whole', async () => {
    const { things, all } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: 'A' })])
    await things.commit(blockAt(3), [make('a', { name: 'A3' })])
    const seen: unknown[] = []
    await things.replace(1, async (load) => {
      seen.push((await load('Thing', ['a'])).get('a')?.['name'])
      const changes = [make('a', { name: 'again' }), make('b', { name: 'B' })]
      return [
        { block: blockAt(2), changes },
        { block: blockAt(3), changes: [] },
      ]
    })
    expect(seen).toEqual(['A'])
    expect(await all()).toMatchObject([{ name: 'again' }, { name: 'B' }])
    expect(await all('1')).toMatchObject([{ name: 'A' }])
    expect(things.head).toMatchObject({ ...blockAt(3), revision: 1 })
    expect(await things.findVersions('Thing', 'a')).toEqual({ first: 1, last: 2 })
    expect(await things.findVersions('Thing', 'c')).toBeUndefined()
    expect(await things.findFirstBlock()).toEqual(blockAt(1))
  })

  test('error: a replacement that lost an entity, or failed, changes nothing', async () => {
    const { things, all } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: 'A' })])
    await things.commit(blockAt(2), [make('b', { name: 'B' })])
    const lost = 'fewer entities: 1 of 2 Thing'
    await expect(things.replace(1, async () => [{ block: blockAt(2), changes: [] }])).rejects.toThrow(lost)
    await expect(things.replace(1, () => Promise.reject(new Error('no RPC')))).rejects.toThrow('no RPC')
    expect(await all()).toMatchObject([{ name: 'A' }, { name: 'B' }])
    expect(things.head).toMatchObject({ ...blockAt(2), revision: 0 })
  })

  test('behavior: a fault is told by every reader until it is cleared', async () => {
    const { things, namespace } = await openThings()
    await things.commit(blockAt(1), [])
    const { things: other } = await openThings(namespace)
    const ask = async () => (await other.execute({ query: '{ _meta { hasIndexingErrors } }' })).data
    await things.setFault('Position 3 is unknown.')
    await things.setFault('Position 3 is unknown.')
    expect(await ask()).toEqual({ _meta: { hasIndexingErrors: true } })
    expect(other.head).toMatchObject({ revision: 1, fault: 'Position 3 is unknown.' })
    await things.commit(blockAt(2), [])
    expect(things.head?.fault).toBe('Position 3 is unknown.')
    await things.setFault(undefined)
    expect(await ask()).toEqual({ _meta: { hasIndexingErrors: false } })
    expect(things.head).toMatchObject({ revision: 2, fault: undefined })
  })

  test('behavior: an index of release 0.2 gets the new columns', async () => {
    const { things, namespace } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: 'A' })])
    await opened.database.query(`alter table "${namespace}"."$meta" drop revision, drop fault`)
    const again = await openThings(namespace)
    expect(again.things.head).toMatchObject({ number: 1, revision: 0, fault: undefined })
  })

  test('error: changes for one head are refused on another', async () => {
    const { things } = await openThings()
    await things.commit(blockAt(1), [])
    await things.commitMany([{ block: blockAt(2), changes: [] }], { after: blockAt(1).hash })
    await things.revert(1)
    const late = things.commitMany([{ block: blockAt(3), changes: [] }], { after: blockAt(2).hash })
    await expect(late).rejects.toMatchObject({ code: 'invalid_block', message: expect.stringContaining('block 1') })
    expect(things.head).toMatchObject(blockAt(1))
  })

  test('behavior: what another process changed is read again, or its commit refuses the next one', async () => {
    const { things, namespace } = await openThings()
    const { things: other, all } = await openThings(namespace)
    const names = async () => (await things.loadAfter('Thing', ['a', 'b'])).get('a')?.['name']
    await things.commit(blockAt(1), [])
    await things.commit(blockAt(2), [make('a', { name: 'A' })])
    const known = { after: blockAt(2).hash, revision: things.head?.revision }
    expect(await names()).toBe('A')
    // The same block with other changes: only the revision tells.
    await other.revert(1)
    await other.commit(blockAt(2), [make('a', { name: 'other', size: 7 })])
    const late = things.commitMany([{ block: blockAt(3), changes: [make('a', { size: 1 })] }], known)
    await expect(late).rejects.toMatchObject({ code: 'index_replaced' })
    await things.readHead()
    expect(await names()).toBe('other')
    await things.commit(blockAt(3), [make('a', { name: 'again' })])
    expect(await all()).toMatchObject([{ name: 'again', size: 7 }])
  })

  test('behavior: changes of one entity in one block create one version, or none without effect', async () => {
    const { things, all, namespace } = await openThings()
    await things.commit(blockAt(1), [
      make('a', { name: 'first', size: 1 }),
      make('a', { name: 'second' }),
      make('b', { name: 'gone' }),
      make('b', null),
      make('c', { name: 'old', size: 1 }),
      make('c', null),
      make('c', { name: 'new' }),
    ])
    await things.commit(blockAt(2), [make('a', { name: 'x' }), make('a', { name: 'second' }), make('c', null)])
    await things.commit(blockAt(3), [make('a', { name: 'second', size: 1 }), make('c', { name: 'new' })])
    expect(await all('1')).toMatchObject([
      { id: 'a', name: 'second', size: 1 },
      { id: 'c', name: 'new', size: null },
    ])
    const { Thing } = await readTables(opened.database, namespace)
    expect(Thing?.map(({ id, $from, $to }) => [id, $from, $to])).toEqual([
      ['a', 1, 2 ** 31 - 1],
      ['c', 1, 2],
      ['c', 3, 2 ** 31 - 1],
    ])
  })

  test('behavior: setting a list to the same values creates no version', async () => {
    const gallery = useGallery()
    const before = await readTables(opened.database, 'gallery')
    const again = (galleryBlocks[0]?.changes ?? []).filter(({ entity }) => entity === 'Artist' || entity === 'Show')
    await gallery.commit(blockAt(4), again)
    const after = await readTables(opened.database, 'gallery')
    expect({ ...after, $blocks: undefined }).toEqual({ ...before, $blocks: undefined })
  })

  test('behavior: blocks in one transaction have the same result as single commits', async () => {
    await openFixture(opened.database, 'single')
    const many = await openSubgraph({ database: opened.database, schema: fixtureSchema, namespace: 'many' })
    await many.commitMany(fixtureBlocks.slice(0, 7))
    await many.commitMany([])
    await many.commitMany(fixtureBlocks.slice(7))
    expect(await readTables(opened.database, 'many')).toEqual(await readTables(opened.database, 'single'))
  })

  test('behavior: revert deletes later versions and reopens those they closed', async () => {
    const { things, all, namespace } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: 'A' }), make('b', { name: 'B' })])
    await things.commit(blockAt(2), [make('a', { name: 'AA' })])
    const before = await readTables(opened.database, namespace)
    await things.commit(blockAt(3), [make('a', null), make('b', { name: 'BB' }), make('c', { name: 'C' })])
    await things.commit(blockAt(4), [make('a', { name: 'back' }), make('c', null)])
    await things.revert(2)
    expect(await readTables(opened.database, namespace)).toEqual(before)
    expect(things.head).toMatchObject(blockAt(2))
    await things.commit({ ...blockAt(3, 'f'), parentHash: blockAt(2).hash }, [make('b', { name: 'fork' })])
    expect(await all()).toMatchObject([{ name: 'AA' }, { name: 'fork' }])
    await things.revert(-1)
    expect(things.head).toBeUndefined()
    expect((await things.execute({ query: '{ things { id } }' })).errors?.[0]?.message).toBe(
      'subgraph Qm has not started syncing yet. Wait for it to ingest a few blocks before querying it',
    )
  })

  test('behavior: a reopened store continues at its head', async () => {
    const { things, namespace } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: 'A' })])
    const again = await openThings(namespace)
    expect(again.things.head).toMatchObject(blockAt(1))
    await again.things.commit(blockAt(2), [make('a', { size: 5 })])
    expect(await again.all()).toMatchObject([{ id: 'a', name: 'A', size: 5 }])
    expect(things.head).toMatchObject(blockAt(1))
    expect(await things.readHead()).toMatchObject(blockAt(2))
    expect(things.head).toMatchObject(blockAt(2))
  })

  test('behavior: entities are loaded at the head in API form, and blocks are found by number', async () => {
    const gallery = useGallery()
    const loaded = await gallery.load('Artist', ['0x0A', '0x0b', '0xff', 'nonsense'])
    expect([...loaded.keys()].sort()).toEqual(['0x0a', '0x0b'])
    expect(loaded.get('0x0a')).toMatchObject({ id: '0x0a', isActive: true, flags: [true, false], mentor: null })
    expect(loaded.get('0x0b')).toMatchObject({ mentor: '0x0a', rank: '-5', moods: [], lots: null })
    expect(await gallery.load('Work', ['w2'])).toEqual(new Map())
    await expect(gallery.load('Nope', [])).rejects.toThrow('There is no entity Nope')
    expect(await gallery.findBlockAt(2)).toEqual(blockAt(2))
    expect(await gallery.findBlockAt(99)).toEqual(blockAt(3))
    expect(await gallery.findBlockAt(0)).toBeUndefined()
    // A loaded entity can be set again without effect.
    const before = await readTables(opened.database, 'gallery')
    const changes = [...loaded].map(([id, set]) => ({ entity: 'Artist', id, set }))
    await gallery.commit(blockAt(4), changes)
    expect((await readTables(opened.database, 'gallery'))['Artist']).toEqual(before['Artist'])
  })

  test('behavior: a new namespace can be opened several times at once', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => openThings('together')))
    expect(all.map(({ things }) => things.head)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('behavior: a commit that fails midway changes nothing', async () => {
    const gallery = useGallery()
    await opened.database.query('alter table "gallery"."Show" rename to "Gone"')
    const before = await readTables(opened.database, 'gallery')
    const failing = gallery.commit(blockAt(4), [
      { entity: 'Work', id: 'w1', set: { price: '99' } },
      { entity: 'Show', id: 's1', set: { title: 'new' } },
    ])
    await expect(failing).rejects.toMatchObject({ code: '42P01' })
    expect(await readTables(opened.database, 'gallery')).toEqual(before)
    expect(gallery.head).toMatchObject(blockAt(3))
    await opened.database.query('alter table "gallery"."Gone" rename to "Show"')
    await gallery.commit(blockAt(4), [{ entity: 'Work', id: 'w1', set: { price: '99' } }])
    expect(gallery.head).toMatchObject(blockAt(4))
  })

  test.each([-2, 1.5, Number.NaN, 2 ** 31])('error: cannot revert to block %j', async (number) => {
    const { things } = await openThings('refusing')
    await expect(things.revert(number)).rejects.toMatchObject({ code: 'invalid_block' })
  })

  test('behavior: exactly one of several concurrent commits of a block succeeds', async () => {
    const { things, namespace, all } = await openThings()
    await things.commit(blockAt(1), [])
    const others = await Promise.all(Array.from({ length: 4 }, () => openThings(namespace)))
    const commits = others.map(({ things: other }, index) =>
      other.commit(blockAt(2), [make('a', { name: `${index}` })]),
    )
    const results = await Promise.allSettled(commits)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await all()).toHaveLength(1)
  })

  test('behavior: a query reads one state while blocks are committed', async () => {
    const { things } = await openThings()
    await things.commit(blockAt(1), [make('a', { name: '1', next: 'b' }), make('b', { name: '1' })])
    const query = '{ _meta { block { number } } things(where: {id: "a"}) { name next { name } } }'
    const answers = [things.execute({ query })]
    for (let number = 2; number < 30; number++) {
      const name = String(number)
      await things.commit(blockAt(number), [make('a', { name }), make('b', { name })])
      answers.push(things.execute({ query }))
    }
    for (const { data } of await Promise.all(answers)) {
      const { _meta, things: seen } = data as { _meta: { block: { number: number } }; things: unknown }
      const name = String(_meta.block.number)
      expect(seen).toEqual([{ name, next: { name } }])
    }
  })

  test.each<[string, string, Parameters<Awaited<ReturnType<typeof openSubgraph>>['commit']>]>([
    ['a block below the head', 'Block 2 does not follow the head, block 2', [blockAt(2), []]],
    ['another parent', 'The parent of block 3 is 0xff', [{ ...blockAt(3), parentHash: `0x${'ff'.repeat(32)}` }, []]],
    ['a number that is none', 'The block number 1.5 is not an integer', [{ ...blockAt(3), number: 1.5 }, []]],
    ['a hash that is none', 'The hash of block 3 is not 0x', [{ ...blockAt(3), hash: 'abc' }, []]],
    [
      'a hash twice',
      'The hash of a block is already stored for another block',
      [{ ...blockAt(4), hash: blockAt(1).hash }, []],
    ],
    ['a time that is none', 'The timestamp of block 3', [{ ...blockAt(3), timestamp: -1 }, []]],
    ['an unknown entity', 'there is no entity Nope', [blockAt(3), [{ entity: 'Nope', id: '1', set: {} }]]],
    [
      'an unknown field',
      'Thing has no field nope (it has id, name, size, tags, next)',
      [blockAt(3), [make('a', { nope: 1 })]],
    ],
    ['a field of every object', 'Thing has no field constructor', [blockAt(3), [make('a', { constructor: 1 })]]],
    [
      'a missing required field',
      'a new entity needs the required field name',
      [blockAt(3), [make('new', { size: 1 })]],
    ],
    ['null in a required field', 'name is required', [blockAt(3), [make('a', { name: null })]]],
    ['a wrong value', 'size must be a number, a 32-bit integer, not "1"', [blockAt(3), [make('a', { size: '1' })]]],
    ['a number too large', 'size must be a number', [blockAt(3), [make('a', { size: 2 ** 31 })]]],
    ['a list that is none', 'tags must be a list, not "x"', [blockAt(3), [make('a', { tags: 'x' })]]],
    ['a list with null', 'tags must be a list without nulls', [blockAt(3), [make('a', { tags: [null] })]]],
    ['a NUL character', 'name must be a string without NUL', [blockAt(3), [make('a', { name: 'a\0b' })]]],
    ['half a character', 'name must be a string without NUL', [blockAt(3), [make('a', { name: '\ud800' })]]],
    ['an id too long', 'the id must be a string of at most 1024 bytes', [blockAt(3), [make('x'.repeat(1025), null)]]],
    ['another id in set', 'set has another id, "b"', [blockAt(3), [make('a', { id: 'b' })]]],
  ])('error: refuses %s, and changes nothing', async (_, message, given) => {
    const { things, namespace } = await openThings('refusing')
    if (!things.head) await things.commit(blockAt(1), [make('a', { name: 'A' })])
    if (things.head?.number === 1) await things.commit(blockAt(2), [])
    const before = await readTables(opened.database, namespace)
    const [block, changes] = given
    const failing = things.commit(block, [make('good', { name: 'x' }), ...changes])
    await expect(failing).rejects.toThrow(message)
    await expect(failing).rejects.toBeInstanceOf(SubgraphError)
    expect(await readTables(opened.database, namespace)).toEqual(before)
    expect(things.head).toMatchObject(blockAt(2))
  })

  test.each([
    ['Artist', { rank: 5 }, 'rank must be a decimal string, a 64-bit integer, not 5'],
    ['Artist', { score: 1.5 }, 'score must be a decimal string, not 1.5'],
    ['Artist', { bornAt: '1.5' }, 'bornAt must be a decimal string of microseconds'],
    ['Artist', { isActive: 'true' }, 'isActive must be true or false, not "true"'],
    ['Artist', { mood: 'ANGRY' }, 'mood must be one of CALM, LOUD, not "ANGRY"'],
    ['Artist', { mood: 'toString' }, 'mood must be one of CALM, LOUD'],
    ['Artist', { marks: ['ff'] }, 'marks must be a string of 0x'],
    ['Artist', { mentor: 'x' }, 'mentor must be a string of 0x'],
    ['Artist', { lots: ['0x1'] }, 'lots must be a decimal string'],
    ['Artist', { works: [] }, 'works is derived and cannot be set'],
  ])('error: refuses %s %j', async (entity, set, message) => {
    await expect(useGallery().commit(blockAt(4), [{ entity, id: '0x0a', set }])).rejects.toThrow(message)
  })

  test('error: another schema on the same namespace is refused', async () => {
    const { namespace } = await openThings()
    const failing = openSubgraph({ database: opened.database, schema: gallerySchema, namespace })
    await expect(failing).rejects.toMatchObject({ code: 'schema_mismatch' })
    await expect(failing).rejects.toThrow(`The namespace "${namespace}" has data of another schema`)
  })

  test.each(['', 'public', 'pg_x', 'a"b', 'x'.repeat(64), 'information_schema'])(
    'error: refuses the namespace %j',
    async (namespace) => {
      await expect(openSubgraph({ database: opened.database, schema, namespace })).rejects.toMatchObject({
        code: 'invalid_namespace',
      })
    },
  )

  test('behavior: a field with the name of a system column and a long text are stored', async () => {
    const odd = 'type Odd @entity { id: ID! xmin: Int block: String select: String payload: Bytes }'
    const subgraph = await openSubgraph({ database: opened.database, schema: odd, namespace: `odd${++spaces}` })
    const set = { xmin: 1, block: 'x'.repeat(100_000), select: 'a', payload: `0x${'ab'.repeat(50_000)}` }
    await subgraph.commit(blockAt(1), [{ entity: 'Odd', id: '1', set }])
    const query =
      'query ($b: String, $p: [Bytes!]) { odds(where: {block: $b, payload_in: $p, select: "a"}) { id xmin } }'
    const variables = { b: set.block, p: [set.payload, '0x'] }
    expect(await subgraph.execute({ query, variables })).toEqual({ data: { odds: [{ id: '1', xmin: 1 }] } })
  })
})
