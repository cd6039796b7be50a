// @module-tag postgres

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditedTransaction, type Database, type Queryable } from '@tallystick/database'
import { auditHeadPath, auditLeafMigrations, checkAudit } from '@tallystick/keys'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { beforeAll, describe, expect, test } from 'vitest'
import { openServiceDatabase } from '../src/database/service-database.ts'
import { createDeferrals, createKey, newDatabase, prepare, start } from './harness.ts'

const record = (database: Database, subject: string) =>
  auditedTransaction(database, { actor: 'ann' }, (_, add) => add({ action: 'key.create', subject, details: { n: 1 } }))

class RolledBack extends Error {}

/** Runs a function in a transaction without the rules that reject changes, and undoes everything. */
async function tamper<Result>(database: Database, work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
  let result: Result | undefined
  await database
    .transaction(async (transaction) => {
      for (const table of ['audit', 'audit_leaves']) {
        await transaction.query(`alter table ${table} disable trigger user`)
      }
      result = await work(transaction)
      throw new RolledBack()
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error
    })
  return result as Result
}

describe('leaves on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('leaves on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  let database: Database
  const noHead = '/nowhere/audit-head.json'

  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    database = await openServiceDatabase(await newDatabase(engine, defer), () => undefined)
    defer(() => database.close())
    for (const subject of ['a', 'b', 'c', 'd']) await record(database, subject)
    return finish
  })

  test('default: untouched rows match', async () => {
    expect(await checkAudit(database, noHead)).toEqual({ rows: 4, faults: [] })
  })

  test.each([
    ['a changed row', `update audit set subject = 'x' where id = 2`, ['row 2 was changed']],
    ['a changed time', `update audit set at = at + interval '1 microsecond' where id = 1`, ['row 1 was changed']],
    ['changed details', `update audit set details = '{"n":2}' where id = 4`, ['row 4 was changed']],
    ['a row deleted in the middle', 'delete from audit where id = 2', ['row 2 was deleted']],
    ['a deleted last row', 'delete from audit where id = 4', ['row 4 was deleted']],
    [
      'two swapped rows',
      `update audit set subject = case id when 1 then 'b' else 'a' end where id in (1, 2)`,
      ['row 1 was changed', 'row 2 was changed'],
    ],
    [
      'a row without a leaf',
      `insert into audit (actor, action, subject, details) values ('x', 'x', 'x', '{}')`,
      [expect.stringMatching(/^row \d+ has no hash/)],
    ],
    [
      'a deleted leaf',
      'delete from audit_leaves where index = 1',
      ['hash 1 is missing in the table audit_leaves', 'row 2 has no hash in the table audit_leaves'],
    ],
  ])('error: %s is found', async (_, statement, faults) => {
    const check = await tamper(database, async (transaction) => {
      await transaction.query(statement)
      return checkAudit(transaction, noHead)
    })
    expect(check.faults).toEqual(faults)
  })

  test('behavior: concurrent transactions get consecutive leaves', async () => {
    const before = (await checkAudit(database, noHead)).rows
    await Promise.all(Array.from({ length: 8 }, (_, index) => record(database, `c${index}`)))
    expect(await checkAudit(database, noHead)).toEqual({ rows: before + 8, faults: [] })
  })

  test('behavior: rows from before the migration get leaves, and the migration can be taken back', async () => {
    const rows = await tamper(database, async (transaction) => {
      const [{ undo = [], statements } = { statements: [] }] = auditLeafMigrations
      await transaction.query(`alter table audit enable trigger user`)
      await transaction.query(`insert into audit (actor, action, subject, details) values ('x', 'x', 'x', '{}')`)
      for (const statement of undo) await transaction.query(statement)
      await transaction.query(`insert into audit (actor, action, subject, details) values ('y', 'y', 'y', '{}')`)
      for (const statement of statements) await transaction.query(statement)
      const { rows, faults } = await checkAudit(transaction, noHead)
      expect(faults).toEqual([])
      const [{ count } = { count: 0n }] = await transaction.query<{ count: bigint }>('select count(*) from audit')
      expect(rows).toBe(Number(count))
      return rows
    })
    expect(rows).toBeGreaterThan(4)
  })
}

test('error: rows deleted with their hashes, and replaced hashes, contradict the head that a replica noted', async () => {
  const databaseUrl = await newDatabase('postgres')
  const first = await start({ databaseUrl })
  await createKey(first)
  await createKey(first)
  const headPath = auditHeadPath(first.config)
  await expect.poll(async () => (await first.admin('/metrics')).body).toMatch(/^tallystick_audit_problem 0$/m)
  await first.stop()
  const head = JSON.parse(readFileSync(headPath, 'utf8'))
  expect(head).toEqual({ size: 3, root: expect.any(String) })

  const database = await openServiceDatabase(databaseUrl, () => undefined)
  const remove = async (transaction: Queryable) => {
    await transaction.query('delete from audit where id = (select max(id) from audit)')
    await transaction.query('delete from audit_leaves where index = (select max(index) from audit_leaves)')
  }
  const check = await tamper(database, async (transaction) => {
    await remove(transaction)
    return checkAudit(transaction, headPath)
  })
  const missing = `1 of the newest rows were deleted, hashes included: ${headPath} knows 3 rows, the database has 2`
  expect(check).toEqual({ rows: 2, faults: [missing] })
  const replaced = await tamper(database, async (transaction) => {
    await transaction.query('update audit_leaves set index = index + 10 where index < 2')
    await transaction.query('update audit_leaves set index = 11 - index where index >= 10')
    return checkAudit(transaction, headPath)
  })
  expect(replaced.faults).toEqual([expect.stringContaining('the hashes were replaced')])
  for (const table of ['audit', 'audit_leaves']) await database.query(`alter table ${table} disable trigger user`)
  await remove(database)
  for (const table of ['audit', 'audit_leaves']) await database.query(`alter table ${table} enable trigger user`)
  await database.close()

  const { directory } = await prepare({ databaseUrl })
  const journal = join(directory, 'signer-journal.jsonl')
  writeFileSync(join(directory, 'audit-head.json'), JSON.stringify(head))
  const signer = { kind: 'private-key', key: 'env:SIGNER_KEY', journal }
  const second = await start({ databaseUrl, config: { signer }, curve: null })
  await expect.poll(async () => (await second.admin('/metrics')).body).toMatch(/^tallystick_audit_problem 1$/m)
  expect(second.log()).toContain('the audit was altered')
  const faults = (await second.admin('/audit/check')).json().faults
  expect(faults).toEqual([expect.stringMatching(/^1 of the newest rows were deleted/)])
  await second.stop()
  expect(JSON.parse(readFileSync(join(directory, 'audit-head.json'), 'utf8'))).toEqual(head)
})
