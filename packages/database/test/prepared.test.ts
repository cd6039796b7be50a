// @module-tag postgres

import { createTestDatabase } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../src/index.ts'

// A frequent statement on PostgreSQL, sent by our own query on the driver's connection. There is one connection, so that a
// statement finds what the one before left.
let url: string
let remove: () => Promise<void>
let database: Database
beforeAll(async () => {
  ;({ url, remove } = await createTestDatabase('postgres', inject('databases')))
  database = await openDatabase(url, { connectionsMax: 1 })
})
afterAll(async () => {
  await database.close()
  await remove()
})

const frequent = { isFrequent: true }

test('default: the first, second and third run return the rows of an ordinary statement', async () => {
  const text = `select n::int8 as big, n::int4 as small, n = 1 as yes, $1::bytea as bytes, $2::jsonb as json, $3::text[] as list,
      $4::text as nothing, 'a' as twice, 'b' as twice from generate_series(1, 3) as n`
  const parameters = [new Uint8Array([0, 255]), { x: [1] }, ['a', 'b,"c', null], null]
  const expected = await database.query(text, parameters)
  expect(expected).toHaveLength(3)
  for (let run = 0; run < 3; run++) expect(await database.read(text, parameters, frequent)).toEqual(expected)
  expect(await database.query(text, parameters, frequent)).toEqual(expected)
})

test('behavior: a statement without rows and one without columns run each time, also in a transaction', async () => {
  await database.query('create table counted (n int4)')
  const insert = 'insert into counted values ($1)'
  for (const n of [1, 2, 3]) expect(await database.read(insert, [n], frequent)).toEqual([])
  await database.transaction(async ({ query }) => {
    for (const n of [4, 5]) await query(insert, [n], frequent)
  })
  const select = 'select n from counted where n > $1 order by n'
  expect(await database.read(select, [3], frequent)).toEqual([{ n: 4 }, { n: 5 }])
  expect(await database.read(select, [9], frequent)).toEqual([])
  expect(await database.read('select from counted', [], frequent)).toEqual([{}, {}, {}, {}, {}])
})

test('error: a value that fails before or during the run fails only that run', async () => {
  const divide = 'select 6 / $1::text::int4 as share, $2::int4 as other'
  const run = (divisor: string, other: unknown) => database.read(divide, [divisor, other], frequent)
  await expect(run('0', 1)).rejects.toMatchObject({ code: '22012' })
  await expect(run('1', 'x')).rejects.toMatchObject({ code: '22P02' })
  expect(await run('2', 7)).toEqual([{ share: 3, other: 7 }])
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  await expect(run('1', circular)).rejects.toThrow('circular')
  await expect(run('x', 1)).rejects.toMatchObject({ code: '22P02' })
  expect(await run('3', 8)).toEqual([{ share: 2, other: 8 }])
})

test('error: a statement that was cancelled leaves its connection usable, and one that was lost is replaced', async () => {
  const beside = await openDatabase(url)
  const asleep = "select pid from pg_stat_activity where query like 'select pg_sleep(%' and state = 'active'"
  const startSleep = async () => {
    const controller = new AbortController()
    const sleeping = database.read('select pg_sleep($1::int4)', [25], { ...frequent, signal: controller.signal })
    const settled = Promise.allSettled([sleeping])
    const findPid = async () => (await beside.query<{ readonly pid: number }>(asleep))[0]?.pid
    let pid: number | undefined
    while (pid === undefined) pid = await findPid()
    return { controller, settled, pid }
  }
  const cancelled = await startSleep()
  cancelled.controller.abort(new Error('gone'))
  expect(await cancelled.settled).toMatchObject([{ status: 'rejected', reason: { code: '57014' } }])
  const again = await startSleep()
  expect(again.pid).toBe(cancelled.pid)
  await beside.query('select pg_terminate_backend($1)', [again.pid])
  expect(await again.settled).toMatchObject([{ status: 'rejected', reason: { code: 'database_unavailable' } }])
  // The error arrives before the end of the connection.
  const read = () => database.read('select $1::int8 as one', ['1'], frequent).catch(() => undefined)
  await expect.poll(read).toEqual([{ one: 1n }])
  expect(await read()).toEqual([{ one: 1n }])
  await beside.close()
})
