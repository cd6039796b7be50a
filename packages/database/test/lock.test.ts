// @module-tag postgres

import { createTestDatabase, databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../src/index.ts'

describe.each(databaseEngines)('%s', (engine) => {
  let url: string
  let remove: () => Promise<void>
  let database: Database
  beforeAll(async () => {
    ;({ url, remove } = await createTestDatabase(engine, inject('databases')))
    database = await openDatabase(url)
  })
  afterAll(async () => {
    await database.close()
    await remove()
  })

  test('default: a lock has one holder at a time and is independent of other names', async () => {
    const first = await database.tryLock('a')
    expect(first?.lost.aborted).toBe(false)
    expect(await database.tryLock('a')).toBeUndefined()
    expect(await database.tryLock('b')).toBeDefined()
    await first?.release()
    expect(first?.lost.aborted).toBe(true)
    const second = await database.tryLock('a')
    expect(second?.lost.aborted).toBe(false)
    await first?.release()
    expect(await database.tryLock('a')).toBeUndefined()
  })

  test('behavior: exactly one of many concurrent attempts succeeds', async () => {
    const locks = await Promise.all(Array.from({ length: 8 }, () => database.tryLock('crowd')))
    expect(locks.filter(Boolean)).toHaveLength(1)
  })
})

describe('postgres', () => {
  test('behavior: a lock excludes other processes and is free after its holder closes or disconnects', async () => {
    const { url, remove } = await createTestDatabase('postgres', inject('databases'))
    const [one, other] = [await openDatabase(url), await openDatabase(url)]
    const held = await one.tryLock('x')
    expect(await other.tryLock('x')).toBeUndefined()
    await other.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    )
    await expect.poll(() => held?.lost.aborted).toBe(true)
    const taken = await other.tryLock('x')
    expect(taken?.lost.aborted).toBe(false)
    expect(await one.tryLock('x')).toBeUndefined()
    await held?.release()
    expect(await one.tryLock('x')).toBeUndefined()
    await other.close()
    expect(taken?.lost.aborted).toBe(true)
    await expect.poll(() => one.tryLock('x')).toBeDefined()
    await one.close()
    await remove()
  })
})
