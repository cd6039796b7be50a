// @module-tag postgres

import {
  type Database,
  type Migration,
  migrate,
  openDatabase,
  type Queryable,
  revertMigrations,
} from '@tallystick/database'
import { addKeyUsage, listKeyUsage } from '@tallystick/keys'
import { apiMigrations, apiSchema, describeNewer, openServiceDatabase, release } from '@tallystick/service'
import { createTestDatabase, type DatabaseEngine } from '@tallystick/workbench/test-database'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { newEmptyDatabase } from '../../../packages/service/test/harness.ts'
import { reportDatabase } from '../src/schema/database-report.ts'
import { revertSchema } from '../src/schema/revert-schema.ts'
import { prepareSite, tallystick } from './process.ts'
import { start010, write010 } from './release-0-1-0.ts'

const first = apiMigrations.filter(({ since }) => since === undefined)
const later = apiMigrations.filter(({ since }) => since !== undefined)
const names010 = first.map(({ name }) => name)
const request = { to: '0.1.0', isConfirmed: true, actor: 'ann' }

/** Reads every column of every table, to compare schemas. */
async function readColumns(database: Queryable) {
  return database.query(
    `select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
     where table_schema = 'public' and table_name <> 'migrations' order by 1, 2`,
  )
}

async function readIndexes(database: Queryable) {
  return database.query(
    `select tablename, indexdef from pg_indexes where schemaname = 'public' and tablename <> 'migrations' order by 1, 2`,
  )
}

/** Reads every row that 0.1.0 wrote, in the columns of 0.1.0. */
async function readRows(database: Queryable) {
  const tables = ['api_keys', 'api_key_secrets', 'notes', 'note_sets', 'curves', 'hooks', 'log_entries', 'events']
  const rows = tables.map((table) => database.query(`select to_jsonb(t) as row from ${table} t order by 1`))
  return Promise.all(rows)
}

const newest = apiMigrations.at(-1) as Migration
const tomorrow: Migration = {
  name: 'tomorrow',
  since: '9.0.0',
  worksWith: release,
  statements: ['create table tomorrow (x int)'],
  undo: ['drop table tomorrow'],
  loses: 'x',
}

describe('an upgrade on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('an upgrade on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  let database: Database
  beforeAll(async () => {
    const { url, remove } = await createTestDatabase(engine, inject('databases'))
    database = await openDatabase(url)
    return async () => {
      await database.close()
      await remove()
    }
  })

  test('default: goes forward, back and forward again with the data of the release before', async () => {
    await migrate(database, { scope: 'api', migrations: first })
    await write010(database, 1)
    const [columns, indexes] = [await readColumns(database), await readIndexes(database)]
    const rows = await readRows(database)

    expect(await migrate(database, apiSchema)).toEqual({ applied: later.map(({ name }) => name), unknown: [] })
    // A replica of 0.1.0 restarts and writes, beside one of this release.
    await start010(database, names010)
    await write010(database, 2)
    await addKeyUsage(database, [{ keyId: 'key_1', hour: 480_000, scope: 'notes', requests: 3 }], 480_024)
    expect(await listKeyUsage(database, 20_000)).toMatchObject([{ keyId: 'key_1', requests: 13 }])

    const { migrations } = await revertSchema(database, request)
    expect(migrations.map(({ name }) => name)).toEqual(later.map(({ name }) => name).reverse())
    expect(await readColumns(database)).toEqual(columns)
    expect(await readIndexes(database)).toEqual(indexes)
    expect((await readRows(database)).map((list) => list[0])).toEqual(rows.map((list) => list[0]))
    await start010(database, names010)
    await write010(database, 3)
    expect((await readRows(database)).map((list) => list.length)).toEqual(Array(8).fill(3))
    const [entry] = await database.query(`select actor, subject, details from audit where action = 'database.revert'`)
    expect(entry).toMatchObject({ actor: 'ann', subject: '0.1.0', details: { migrations: expect.any(Array) } })

    await migrate(database, apiSchema)
    expect((await readRows(database)).map((list) => list.length)).toEqual(Array(8).fill(3))
    expect(await revertSchema(database, { ...request, isConfirmed: false })).toMatchObject({ reverted: false })
    expect(await reportDatabase(database)).toMatchObject({
      release,
      migrations: apiMigrations.map(({ name }) => ({ name, state: 'applied' })),
    })
  })

  test('error: a revert or migration that fails half way changes nothing', async () => {
    await migrate(database, apiSchema)
    const columns = await readColumns(database)
    const before = (transaction: Queryable) => transaction.query('create table half (x int)').then(() => undefined)
    const stuck = { ...apiSchema, migrations: apiMigrations.with(-1, { ...newest, undo: ['drop table nowhere'] }) }
    await expect(revertMigrations(database, stuck, { to: '0.1.0', before })).rejects.toThrow(/nowhere/)
    const torn = { ...tomorrow, statements: ['create table half (x int)', 'nonsense'] }
    const next = { ...apiSchema, migrations: [...apiMigrations, torn] }
    await expect(migrate(database, next)).rejects.toThrow(/syntax/)
    expect(await readColumns(database)).toEqual(columns)
    expect((await reportDatabase(database)).migrations.at(-1)).toMatchObject({ name: newest.name, state: 'applied' })
  })

  test('behavior: this release runs on a newer schema that works with it, and on no other', async () => {
    await migrate(database, { ...apiSchema, migrations: [...apiMigrations, tomorrow], release: '9.0.0' })
    const { unknown } = await migrate(database, apiSchema)
    expect(describeNewer(unknown)).toMatch(
      /migrations of a newer release, which this version runs on: tomorrow \(9\.0\.0\)$/,
    )
    await write010(database, 4)
    // Only the newer program has the statements that take it back.
    await expect(revertSchema(database, request)).rejects.toMatchObject({ code: 'database_too_new' })
    await database.query(`update migrations set works_with = '8.0.0' where name = 'tomorrow'`)
    expect((await reportDatabase(database)).migrations.at(-1)).toMatchObject({ state: 'blocking' })
    await expect(migrate(database, apiSchema)).rejects.toMatchObject({ code: 'database_too_new' })
  })
}

test('error: nothing is reverted while a replica that needs it runs, and replicas of 0.1.0 do not count', async () => {
  const database = await openServiceDatabase(await newEmptyDatabase(), () => undefined)
  onTestFinished(() => database.close())
  await write010(database, 1)
  const insert = `insert into replicas (id, name, seen_at, key_revision, release)
    values (gen_random_uuid(), $1, clock_timestamp() - make_interval(secs => $2), 0, $3)`
  await database.query(insert, ['new:8443', 1, release])
  await expect(revertSchema(database, request)).rejects.toMatchObject({
    code: 'database_in_use',
    message: expect.stringContaining(`need these migrations: new:8443 (${release}). Stop them first.`),
  })
  expect((await reportDatabase(database)).replicas).toMatchObject([
    { name: 'new:8443', release },
    { name: 'old:8443', release: null },
  ])
  await database.query(`update replicas set seen_at = clock_timestamp() - interval '11 s' where name = 'new:8443'`)
  expect(await revertSchema(database, request)).toMatchObject({ reverted: true })
})

test('behavior: of replicas that start and revert together, each sees a whole schema', async () => {
  const url = await newEmptyDatabase()
  const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(url)))
  onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))))
  const [a, b, c, d] = databases as [Database, Database, Database, Database]
  await migrate(a, { scope: 'api', migrations: first })
  await Promise.all([migrate(a, apiSchema), revertSchema(b, request), migrate(c, apiSchema), revertSchema(d, request)])
  await migrate(a, apiSchema)
  const { migrations } = await reportDatabase(a)
  expect(migrations.every(({ state }) => state === 'applied')).toBe(true)
  await write010(a, 1)
})

test('default: `database` shows the schema and reverts it after --yes', async () => {
  const databaseUrl = await newEmptyDatabase()
  const site = await prepareSite({ databaseUrl })
  const fresh = await tallystick(site, 'database', 'status', '--json')
  expect(JSON.parse(fresh.stdout).migrations[0]).toEqual({ name: 'keys', since: '0.1.0', state: 'pending' })
  await (await openServiceDatabase(databaseUrl, () => undefined)).close()

  const planned = await tallystick(site, 'database', 'revert')
  expect([planned.exitCode, planned.stdout]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  for (const { name, since, loses } of later) expect(planned.stdout).toContain(`  ${name} (${since}): ${loses}\n`)
  const status = await tallystick(site, 'database', 'status')
  expect(status.stdout).toMatch(/^key usage +0\.1\.0 +applied *\nreplica release +0\.2\.0 +applied/m)
  const reverted = await tallystick(site, 'database', 'revert', '--yes')
  expect([reverted.exitCode, reverted.stdout]).toEqual([0, expect.stringMatching(/^Taken back to release 0\.1\.0/)])
  const again = await tallystick(site, 'database', 'revert', '--to', '0.1.0', '--yes', '--json')
  expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([0, { to: '0.1.0', reverted: false, migrations: [] }])
  expect((await tallystick(site, 'database', 'revert', '--to', 'keys')).exitCode).toBe(2)
})
