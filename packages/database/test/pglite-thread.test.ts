import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { connectDatabase, type Database, openDatabase } from '../src/index.ts'

// Takes seconds, during which a thread that waits for it does nothing else.
const heavy = 'select count(*) from generate_series(1, 500000)'
const heavyRows = [{ count: 500_000n }]

let url: string
let remove: () => Promise<void>
let database: Database
beforeAll(async () => {
  ;({ url, remove } = await createTestDatabase('pglite', inject('databases')))
  database = await openDatabase(url)
})
afterAll(async () => {
  await database.close()
  await remove()
})

/** Makes the thread of the database fail, as an error that nobody expects does. */
async function breakThread(): Promise<void> {
  const port = await database.openPort?.()
  port?.postMessage(null)
}

test('behavior: this thread continues during a statement', async () => {
  const order: string[] = []
  const running = database.query(heavy).then((rows) => {
    order.push('statement')
    return rows
  })
  for (let turns = 0; turns < 20; turns++) {
    await turn()
    order.push('turn')
  }
  expect(order).toEqual(Array(20).fill('turn'))
  expect(await running).toEqual(heavyRows)
})

test('behavior: a statement waits for a transaction, whose work runs in this thread', async () => {
  await database.query('create table t (x int)')
  let waiting: Promise<object[]> | undefined
  await database.transaction(async ({ query }) => {
    await query('insert into t values (1)')
    waiting = database.query('select x from t')
    await query('insert into t values (2)')
    expect(await query('select x from t')).toHaveLength(2)
  })
  expect(await waiting).toEqual([{ x: 1 }, { x: 2 }])
  const failing = database.transaction(async ({ query }) => {
    await query('delete from t')
    throw new RangeError('mine')
  })
  await expect(failing).rejects.toThrow(RangeError)
  expect(await database.query('select x from t')).toHaveLength(2)
})

test('error: an error has the fields of PostgreSQL, without the parameters, and the next statement runs', async () => {
  await database.query('create table u (x text primary key)')
  const insert = () => database.query('insert into u values ($1)', ['secret'])
  await insert()
  const error = await insert().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'error', severity: 'ERROR', code: '23505', table: 'u', constraint: 'u_pkey' })
  expect(error).toMatchObject({ message: 'duplicate key value violates unique constraint "u_pkey"' })
  expect(error).not.toHaveProperty('params')
  await expect(database.query('select $1::text', [5])).rejects.toThrow(TypeError)
  await expect(database.query('select $1::text', [() => 1])).rejects.toThrow('could not be cloned')
  const failing = database.transaction(async ({ query }) => {
    await query('nonsense').catch(() => undefined)
  })
  await expect(failing).rejects.toMatchObject({ code: '25P02' })
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
})

test('behavior: an abort while another statement runs prevents the start, also if it arrives late', async () => {
  await database.query('create sequence s')
  const running = database.query(heavy)
  const { signal, abort } = withAbort()
  const waiting = [
    database.read("select nextval('s')", [], { signal }),
    database.read("select nextval('s')", [], { signal, isFrequent: true }),
    database.snapshot(({ query }) => query("select nextval('s')"), { signal }),
  ]
  const settled = Promise.allSettled(waiting)
  await turn()
  abort()
  expect(await running).toEqual(heavyRows)
  expect(await settled).toEqual(Array(3).fill({ status: 'rejected', reason: new Error('gone') }))
  expect(await database.query("select nextval('s')")).toEqual([{ nextval: 1n }])
})

function withAbort(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(new Error('gone')) }
}

test('behavior: closing waits for the statements before it, and rejects later ones', async () => {
  const running = database.query(heavy)
  const closing = database.close()
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(await running).toEqual(heavyRows)
  await closing
  await database.close()
  database = await openDatabase(url)
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
})

describe('another thread', () => {
  test('default: uses the database through a port', async () => {
    const port = await database.openPort?.()
    const other = connectDatabase(port as NonNullable<typeof port>)
    await other.query('create table o (x int8)')
    await other.transaction(({ query }) => query('insert into o values ($1)', [2n ** 62n]))
    expect(await database.query('select x from o')).toEqual([{ x: 2n ** 62n }])
    await expect(other.snapshot(({ query }) => query('delete from o'))).rejects.toMatchObject({ code: '25006' })
    await other.close()
    await expect(other.query('select 1')).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  test('behavior: the transaction and the waiting statements of a port that closes end with it', async () => {
    await database.query('create table p (x int)')
    const port = await database.openPort?.()
    const other = connectDatabase(port as NonNullable<typeof port>)
    await new Promise<void>((begun) => {
      const hanging = other.transaction(async ({ query }) => {
        await query('insert into p values (1)')
        begun()
        await new Promise(() => undefined)
      })
      hanging.catch(() => undefined)
    })
    const waiting = other.query('insert into p values (2)')
    await other.close()
    await expect(waiting).rejects.toMatchObject({ code: 'database_unavailable' })
    expect(await database.query('select x from p')).toEqual([])
  })
})

test('behavior: after its thread failed, the database is opened again with everything that was committed', async () => {
  await database.query('create table k (x int)')
  await database.query('insert into k values (1)')
  const heard: unknown[] = []
  await database.listen('c', (payload) => heard.push(payload))
  const lost = database.transaction(async ({ query }) => {
    await query('insert into k values (2)')
    await breakThread()
    for (;;) await query('select 1')
  })
  await expect(lost).rejects.toMatchObject({ code: 'database_unavailable', retryable: true })
  await expect(lost).rejects.toThrow(
    /^The embedded database .*db cannot be used \(.*\)\. The next request opens it again\.$/,
  )
  expect(await database.query('select x from k')).toEqual([{ x: 1 }])
  await database.notify('c', 'again')
  expect(heard).toEqual([undefined, 'again'])
})

test('error: a database of another version is refused with the words of the engine, and not locked', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-version-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await mkdir(join(directory, 'db'))
  await writeFile(join(directory, 'db/PG_VERSION'), '9.6\n')
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(openDatabase(`file:${directory}/db`)).rejects.toThrow('PGlite failed to initialize')
  }
})

test('behavior: the thread keeps a process alive only while it is asked, and does not delay its exit', {
  tags: 'slow',
}, async () => {
  await database.close()
  const run = async (code: string) => {
    const program = `import { openDatabase } from '@tallystick/database'
      const database = await openDatabase(${JSON.stringify(url)})
      ${code}`
    const cwd = fileURLToPath(new URL('..', import.meta.url))
    return (
      await promisify(execFile)(process.execPath, [...shortRunFlags, '--input-type=module', '-e', program], { cwd })
    ).stdout
  }
  expect(await run(`console.log(await database.query('${heavy}'))`)).toContain('500000n')
  const endless = 'select count(*) from generate_series(1, 1000000000000)'
  expect(await run(`database.query('${endless}'); setTimeout(() => process.exit(), 100); console.log('out')`)).toBe(
    'out\n',
  )
})
