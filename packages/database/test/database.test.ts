// @module-tag postgres

import { EventEmitter, once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { createTestDatabase, databaseEngines } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Database, type Migration, migrate, openDatabase } from '../src/index.ts'

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

  test('default: both engines return the same values', async () => {
    const rows = await database.query(
      `select $1::int8 as big, $2::numeric as huge, $3::bytea as bytes, $4::text[] as list, $5::jsonb as json,
              $6::text as nothing, 7::int4 as small, true as yes`,
      [2n ** 63n - 1n, (2n ** 256n - 1n).toString(), new Uint8Array([0, 255]), ['a', 'b,"c'], { x: [1] }, null],
    )
    expect(rows).toHaveLength(1)
    const row = rows[0] as Record<string, unknown>
    expect(new Uint8Array(row['bytes'] as Uint8Array)).toEqual(new Uint8Array([0, 255]))
    expect({ ...row, bytes: undefined }).toEqual({
      big: 9223372036854775807n,
      huge: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      bytes: undefined,
      list: ['a', 'b,"c'],
      json: { x: [1] },
      nothing: null,
      small: 7,
      yes: true,
    })
  })

  test('behavior: a frequent statement uses the values of each call, with any characters', async () => {
    const read = (text: string | null) =>
      database.read('select $1::text as text, 2::int8 as big', [text], { isFrequent: true })
    for (const text of ["it's", "\\'; select 1 --", '', 'é\n$1', null, "''"]) {
      expect(await read(text)).toEqual([{ text, big: 2n }])
    }
    expect(await database.read('select 1 as one', [], { isFrequent: true })).toEqual([{ one: 1 }])
    expect(await database.read('select $1::int4[] as list', [[1, 2]], { isFrequent: true })).toEqual([{ list: [1, 2] }])
  })

  test('behavior: a text of any length is returned unchanged', async () => {
    for (const text of ['x'.repeat(1_023), 'x'.repeat(1_024), `${'é€😀'.repeat(100_000)}'"\\`]) {
      const [row] = await database.query('select $1::text as text, length($1::text) as length', [text])
      expect(row).toEqual({ text, length: [...text].length })
      expect(await database.query('select $1::text[] as list', [[text, 'a']])).toEqual([{ list: [text, 'a'] }])
    }
  })

  test('error: a frequent statement that fails to prepare can be prepared later', async () => {
    const read = () => database.read('select later from later_table', [], { isFrequent: true })
    await expect(read()).rejects.toThrow(/later_table/)
    await database.query('create table later_table (later int4)')
    expect(await Promise.all([read(), read()])).toEqual([[], []])
    await database.query('drop table later_table')
    await expect(read()).rejects.toThrow(/later_table/)
  })

  test('behavior: copy inserts rows in text format, of any size, and a failure ends only its transaction', async () => {
    await database.query('create table copied (id int4 primary key, text text, bytes bytea)')
    const long = `${'é€😀'.repeat(200_000)}'"`
    const rows = `1\t\t\\\\x00ff\n2\ta\\tb\\nc\\\\d\t\\N\n3\t${long}\t\\N\n4\t\\\\.\t\\N\n`
    const copy = (text: string) =>
      database.transaction((transaction) => transaction.copy('copy copied (id, text, bytes) from stdin', text))
    await copy(rows)
    await copy('')
    await expect(copy('5\tfive\t\\N\n1\tagain\t\\N\n')).rejects.toMatchObject({ code: '23505' })
    await expect(copy('6\ttoo few\n')).rejects.toMatchObject({ code: '22P04' })
    await expect(copy(`7\t${'x'.repeat(1_000_000)}\tx`.repeat(3))).rejects.toMatchObject({ code: '22P04' })
    const inTwo = database.transaction(async (transaction) => {
      await transaction.copy('copy copied (id) from stdin', '8\n')
      throw new Error('stop')
    })
    await expect(inTwo).rejects.toThrow('stop')
    await expect(
      database.transaction(({ copy }) => copy('copy no_such_table from stdin', '1\n')),
    ).rejects.toMatchObject({ code: '42P01' })
    expect(await database.query("select id, text, encode(bytes, 'hex') as hex from copied order by id")).toEqual([
      { id: 1, text: '', hex: '00ff' },
      { id: 2, text: 'a\tb\nc\\d', hex: null },
      { id: 3, text: long, hex: null },
      { id: 4, text: '\\.', hex: null },
    ])
  })

  test('behavior: a transaction that throws is rolled back, and the next one works', async () => {
    await database.query('create table t (x int primary key)')
    const failing = database.transaction(async (transaction) => {
      await transaction.query('insert into t values (1)')
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await database.query('select * from t')).toEqual([])
    await expect(
      database.transaction(async (transaction) => {
        await transaction.query('insert into t values (2)')
        await transaction.query('insert into t values (2)')
      }),
    ).rejects.toMatchObject({ code: '23505' })
    const result = await database.transaction(async (transaction) => {
      await transaction.query('insert into t values (3)')
      return 'done'
    })
    expect(result).toBe('done')
    expect(await database.query('select x from t')).toEqual([{ x: 3 }])
  })

  test('behavior: a statement that is aborted before its start never starts', async () => {
    let begun = 0
    const work = async () => {
      begun += 1
    }
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(database.snapshot(work, { signal })).rejects.toThrow('gone')
    await expect(database.read('select 1', [], { signal })).rejects.toThrow('gone')
    expect(begun).toBe(0)
  })

  // PGlite cannot cancel: it runs in this thread.
  if (engine === 'postgres')
    test('behavior: an abort cancels only its own running statement', async () => {
      const controllers = Array.from({ length: 12 }, () => new AbortController())
      const running = controllers.map(({ signal }) =>
        database.snapshot((snapshot) => snapshot.query('select pg_sleep(25)'), { signal }),
      )
      const settled = Promise.allSettled(running)
      const asleep = `select 1 from pg_stat_activity where query = 'select pg_sleep(25)' and state = 'active'`
      const beside = await openDatabase(url)
      while ((await beside.query(asleep)).length < 10);
      for (const controller of controllers) controller.abort(new Error('gone'))
      const results = await settled
      expect(results.map(({ status }) => status)).toEqual(Array(12).fill('rejected'))
      expect(await beside.query(asleep)).toEqual([])
      // The connections can be reused.
      const after = await Promise.all(Array.from({ length: 20 }, () => database.query('select 1 as one')))
      expect(after.flat()).toHaveLength(20)
      await beside.close()
    })

  test('behavior: a notification reaches all listeners except those that stopped', async () => {
    const heard: unknown[] = []
    const channel = new EventEmitter()
    const stop = await database.listen('my_channel', (payload) => {
      heard.push(payload)
      channel.emit('heard')
    })
    const first = once(channel, 'heard')
    await database.notify('my_channel', 'hello')
    await first
    await stop()
    await database.listen('my_channel', (payload) => channel.emit('again', payload))
    const second = once(channel, 'again')
    await database.notify('my_channel', 'again')
    expect(await second).toEqual(['again'])
    expect(heard).toEqual(['hello'])
  })

  test('default: migrations run once, in order, and resume where they stopped', async () => {
    const first = { name: 'first', statements: ['create table m (x int)', 'insert into m values (1)'] }
    const second = { name: 'second', statements: ['insert into m values (2)'] }
    await migrate(database, { scope: 'a', migrations: [first] })
    await migrate(database, { scope: 'a', migrations: [first] })
    await migrate(database, { scope: 'a', migrations: [first, second] })
    expect(await database.query('select x from m order by x')).toEqual([{ x: 1 }, { x: 2 }])
  })

  test('error: a failed migration changes nothing, and the error names an unknown migration', async () => {
    const good = { name: 'good', statements: ['create table g (x int)'] }
    const bad = { name: 'bad', statements: ['create table g2 (x int)', 'nonsense'] }
    await expect(migrate(database, { scope: 'b', migrations: [good, bad] })).rejects.toThrow(/syntax/)
    expect(await database.query("select to_regclass('g') as g, to_regclass('g2') as g2")).toEqual([
      { g: null, g2: null },
    ])
    await migrate(database, { scope: 'b', migrations: [good] })
    await expect(migrate(database, { scope: 'b', migrations: [] })).rejects.toMatchObject({
      code: 'database_too_new',
      message: expect.stringContaining('"good"'),
    })
  })

  test('behavior: a release runs on migrations of a newer one that work with it, and 0.1.0 does not see them', async () => {
    const first = { name: 'first', statements: ['create table f (x int)'] }
    const open = {
      name: 'open',
      statements: ['alter table f add column y int'],
      ...{ since: '0.2.0', worksWith: '0.1.0', undo: ['alter table f drop column y'], loses: 'y' },
    }
    const strict = { ...open, name: 'strict', statements: [], since: '0.3.0', worksWith: '0.2.0', undo: [] }
    const scope = 'd'
    await migrate(database, { scope, migrations: [first], release: '0.1.0' })
    const run = (release: string, ...migrations: Migration[]) => migrate(database, { scope, migrations, release })
    expect(await run('0.2.0', first, open)).toEqual({ applied: ['open'], unknown: [] })
    const unknown = [{ name: 'open', since: '0.2.0', worksWith: '0.1.0' }]
    expect(await run('0.1.5', first)).toEqual({ applied: [], unknown })
    const seenBy010 = () => database.query('select name from migrations where scope = $1 order by position', [scope])
    expect(await seenBy010()).toEqual([{ name: 'first' }])
    await expect(run('0.0.9', first)).rejects.toMatchObject({ code: 'database_too_new' })

    await run('0.3.0', first, open, strict)
    expect(await seenBy010()).toEqual([{ name: 'first' }, { name: 'strict' }])
    expect(await run('0.2.9', first, open)).toMatchObject({ unknown: [{ name: 'strict' }] })
    const failing = run('0.1.5', first)
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining('"strict"') })
    // Another history: the same place has another name.
    await expect(run('0.3.0', first, { ...open, name: 'other' }, strict)).rejects.toThrow('"open"')
  })

  // PGlite has one connection.
  if (engine === 'postgres')
    test('error: a migration that waits for a table is given up and changes nothing', async () => {
      await database.query('create table busy (x int)')
      const beside = await openDatabase(url)
      const alter = {
        name: 'alter',
        statements: ['create table before_busy (x int)', 'alter table busy add column y int'],
      }
      await beside.transaction(async (transaction) => {
        await transaction.query('select * from busy')
        const failing = migrate(database, { scope: 'e', migrations: [alter] })
        await expect(failing).rejects.toMatchObject({ code: 'database_unavailable', retryable: true })
      })
      await beside.close()
      expect(await database.query("select to_regclass('before_busy') as before")).toEqual([{ before: null }])
      expect(await migrate(database, { scope: 'e', migrations: [alter] })).toEqual({ applied: ['alter'], unknown: [] })
    })

  test('behavior: replicas that migrate at the same time run each migration once', async () => {
    const migrations = [{ name: 'once', statements: ['create table once (x int)', 'insert into once values (1)'] }]
    await Promise.all(Array.from({ length: 5 }, () => migrate(database, { scope: 'c', migrations })))
    expect(await database.query('select x from once')).toEqual([{ x: 1 }])
  })
})

describe('postgres', () => {
  test('behavior: a listener reconnects and then calls its handlers without a payload', async () => {
    const { url, remove } = await createTestDatabase('postgres', inject('databases'))
    const database = await openDatabase(url)
    const heard: unknown[] = []
    let wake = () => {}
    await database.listen('c', (payload) => {
      heard.push(payload)
      wake()
    })
    const back = new Promise<void>((resolve) => {
      wake = resolve
    })
    // Only of this database: other tests use the same server.
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await back
    expect(heard).toEqual([undefined])
    const again = new Promise<void>((resolve) => {
      wake = resolve
    })
    await database.notify('c', 'hello')
    await again
    expect(heard).toEqual([undefined, 'hello'])
    await database.close()
    await remove()
  })

  test('error: the message for an unreachable server does not contain the password', async () => {
    const failing = openDatabase('postgres://someone:hunter2@127.0.0.1:1/x')
    await expect(failing).rejects.toMatchObject({ code: 'database_unavailable', retryable: true })
    await expect(failing).rejects.toThrow('PostgreSQL 127.0.0.1:1/x cannot be used (ECONNREFUSED)')
    await expect(failing).rejects.not.toThrow('hunter2')
  })

  test('error: the message names a database that does not exist', async () => {
    const url = new URL(inject('databases').postgresUrl)
    url.pathname = '/nowhere'
    const failing = openDatabase(url.href)
    await expect(failing).rejects.toMatchObject({ code: 'database_unavailable' })
    await expect(failing).rejects.toThrow(/\/nowhere cannot be used \(3D000\)\. The database does not exist/)
  })

  test('error: a server without TLS is rejected if the URL requires TLS', async () => {
    const failing = openDatabase(`${inject('databases').postgresUrl}&sslmode=verify-full`)
    await expect(failing).rejects.toMatchObject({ code: 'database_unavailable' })
    await expect(failing).rejects.toThrow(/does not support SSL connections\)\. Enable ssl on the server/)
  })

  test('error: a certificate of an unknown CA is rejected', async () => {
    const { cert, key } = createCertificateAuthority().issue(['localhost'])
    // PostgreSQL's SSLRequest is answered with one letter, after which TLS begins on the same connection.
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('S')
        new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => undefined)
      })
    })
    onTestFinished(() => {
      server.close()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const failing = openDatabase(`postgres://u:hunter2@localhost:${port}/x?sslmode=verify-full`)
    await expect(failing).rejects.toThrow(/cannot be used \(UNABLE_TO_\w+\)\. The server certificate is not trusted/)
  })

  test('behavior: connect_timeout of the URL limits the wait for a server that does not answer', async () => {
    const server = createServer(() => undefined)
    onTestFinished(() => {
      server.close()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const started = performance.now()
    const failing = openDatabase(`postgres://u@127.0.0.1:${port}/x?connect_timeout=1`)
    await expect(failing).rejects.toMatchObject({ code: 'database_unavailable', retryable: true })
    expect(performance.now() - started).toBeGreaterThan(990)
  })

  test.each(['', '0', '-1', '1.5', '601', '5s', 'NaN'])('error: rejects connect_timeout=%s', async (seconds) => {
    const failing = openDatabase(`postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=${seconds}`)
    await expect(failing).rejects.toMatchObject({ code: 'invalid_config', retryable: false })
    await expect(failing).rejects.toThrow(
      'connect_timeout of the database URL must be a number of seconds from 1 to 600.',
    )
  })

  test('error: the message reports a wrong password without repeating it', async () => {
    const url = new URL(inject('databases').postgresUrl)
    url.password = 'hunter2'
    const failing = openDatabase(url.href)
    await expect(failing).rejects.toThrow(
      /cannot be used \(28P01\)\. The server rejected the user name or password in the URL\.$/,
    )
    await expect(failing).rejects.not.toThrow('hunter2')
  })
})

test.each(['', 'mysql://x', 'file:', '/tmp/x'])('error: rejects the URL %j', async (url) => {
  await expect(openDatabase(url)).rejects.toMatchObject({ code: 'invalid_config' })
})
