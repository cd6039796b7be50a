// @module-tag postgres

import {
  appendEvents,
  deleteOldEvents,
  eventRetentionSeconds,
  eventsChannel,
  findEvent,
  findLastEvent,
  type NewEvent,
  readEvents,
  readLastEvents,
} from '@tallystick/notify'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openServiceDatabase } from '../src/database/service-database.ts'
import { newDatabase } from './harness.ts'

const event = (changes: Partial<NewEvent> = {}): NewEvent => ({
  type: 'status',
  chainId: 324,
  data: '{}',
  createdAt: 1_794_700_800n,
  ...changes,
})

describe('the events on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('the events on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  const open = async (url: string) => {
    const database = await openServiceDatabase(url, () => undefined)
    onTestFinished(() => database.close())
    return database
  }

  test('behavior: events are read after an id, by type and chain, in pages', async () => {
    const database = await open(await newDatabase(engine))
    expect(await appendEvents(database, [])).toEqual([])
    expect(await readEvents(database, { afterId: 0n, limit: 10 })).toEqual([])
    expect(await readLastEvents(database, 2)).toEqual([])
    const stored = await appendEvents(database, [
      event({ type: 'notes', data: `{"long":"${'é'.repeat(5_000)}"}`, dedupeKey: 'notes:324:1' }),
      event({ type: 'rate', chainId: 9_007_199_254_740_991 }),
      event(),
    ])
    expect(stored.map(({ type }) => type)).toEqual(['notes', 'rate', 'status'])
    const [first, second, third] = stored as [(typeof stored)[0], (typeof stored)[0], (typeof stored)[0]]
    expect(first).toMatchObject({
      chainId: 324,
      createdAt: 1_794_700_800n,
      tag: expect.stringMatching(/^[0-9a-f]{8}$/),
    })
    const read = (options: object) => readEvents(database, { afterId: 0n, limit: 10, ...options })
    expect(await read({})).toEqual(stored)
    expect(await read({ limit: 2 })).toEqual([first, second])
    expect(await read({ afterId: first.id })).toEqual([second, third])
    expect(await read({ afterId: 2n ** 63n - 1n })).toEqual([])
    expect(await read({ types: ['notes', 'status'] })).toEqual([first, third])
    expect(await read({ types: [] })).toEqual([])
    expect(await read({ chainId: 324 })).toEqual([first, third])
    expect(await read({ types: ['rate'], chainId: 324 })).toEqual([])
    expect(await findEvent(database, second.id)).toEqual(second)
    expect(await findEvent(database, 999n)).toBeUndefined()
    expect(await readLastEvents(database, 2)).toEqual([second, third])
    expect(await findLastEvent(database, { type: 'notes', chainId: 324 })).toEqual(first)
    expect(await findLastEvent(database, { type: 'rate', chainId: 324 })).toBeUndefined()
  })

  test('behavior: an event with a stored dedupe key is not appended, and only new events are notified', async () => {
    const database = await open(await newDatabase(engine))
    const notified: (string | undefined)[] = []
    await database.listen(eventsChannel, (payload) => notified.push(payload))
    const once = event({ type: 'notes', dedupeKey: 'notes:324:1' })
    const [stored] = await appendEvents(database, [once])
    expect(await appendEvents(database, [once])).toEqual([])
    const more = await appendEvents(database, [once, event(), event()])
    expect(more).toHaveLength(2)
    await expect.poll(() => notified).toEqual([stored?.id.toString(), more[1]?.id.toString()])
  })

  test('behavior: old events are deleted in bounded steps, but never the newest of a type and chain', async () => {
    const database = await open(await newDatabase(engine))
    const nowSeconds = 1_794_700_800n
    const old = { createdAt: nowSeconds - eventRetentionSeconds - 1n }
    const kept = { createdAt: nowSeconds - eventRetentionSeconds }
    const stored = await appendEvents(database, [
      ...[event(old), event(old), event(old), event(kept)],
      ...[
        event({ ...old, type: 'rate' }),
        event({ ...old, type: 'rate' }),
        event({ ...old, type: 'rate', chainId: 1 }),
      ],
    ])
    const clean = () => deleteOldEvents(database, { nowSeconds, limit: 3 })
    expect(await clean()).toBe(3)
    expect(await clean()).toBe(1)
    expect(await clean()).toBe(0)
    expect(await readEvents(database, { afterId: 0n, limit: 10 })).toEqual([stored[3], stored[5], stored[6]])
  })
}

test('behavior: with concurrent writers on PostgreSQL a reader that follows the ids misses no event', async () => {
  const url = await newDatabase('postgres')
  const [a, b] = await Promise.all([1, 2].map(() => openServiceDatabase(url, () => undefined)))
  if (!a || !b) throw new Error('not opened')
  onTestFinished(async () => {
    await Promise.all([a.close(), b.close()])
  })
  const count = 40
  const write = async (database: typeof a, name: string) => {
    for (let index = 0; index < count; index++) {
      await appendEvents(database, [
        event({ data: `${name}${index}`, dedupeKey: `${name}${index}` }),
        event({ dedupeKey: `both${index}`, data: `both${index}` }),
      ])
    }
  }
  const seen: string[] = []
  let afterId = 0n
  const follow = async () => {
    for (const { id, data } of await readEvents(b, { afterId, limit: 7 })) {
      expect(id).toBeGreaterThan(afterId)
      afterId = id
      seen.push(data)
    }
  }
  let writing = true
  const writers = Promise.all([write(a, 'a'), write(b, 'b'), write(a, 'c')]).finally(() => {
    writing = false
  })
  while (writing) await follow()
  await writers
  for (let pages = 0; pages < count; pages++) await follow()
  const expected = ['a', 'b', 'c', 'both'].flatMap((name) => Array.from({ length: count }, (_, index) => name + index))
  expect(seen.toSorted()).toEqual(expected.toSorted())
})
