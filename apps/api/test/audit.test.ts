import { databaseEngines } from '@tallystick/workbench/test-database'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auditedTransaction, listAudit } from '../src/audit/audit-log.ts'
import { openServiceDatabase } from '../src/service-database.ts'
import { newDatabase } from './harness.ts'

describe.each(databaseEngines)('the audit table on %s', (engine) => {
  test('behavior: takes entries with their change or not at all, and keeps them as they are', async () => {
    const database = await openServiceDatabase(await newDatabase(engine), () => undefined)
    onTestFinished(() => database.close())
    const lines: unknown[] = []
    const auditor = {
      actor: 'ann',
      remark: 'ann@host',
      log: { info: (...line: unknown[]) => lines.push(line) } as never,
    }
    const change = { action: 'key.create', subject: 'key_1', details: { rpm: 600 } }
    await auditedTransaction(database, auditor, (_transaction, record) => record(change))
    const failed = auditedTransaction(database, auditor, async (_transaction, record) => {
      await record(change)
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    const entries = await listAudit(database, 10)
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(entries).toEqual([{ id: 1n, at, actor: 'ann', remark: 'ann@host', ...change }])
    expect(lines).toEqual([[{ actor: 'ann', remark: 'ann@host', ...change }, 'audit']])
    for (const statement of [
      `update audit set actor = 'bob'`,
      'delete from audit where id = 1',
      'delete from audit where false',
      'truncate audit',
    ]) {
      await expect(database.query(statement)).rejects.toThrow()
    }
    expect(await listAudit(database, 10)).toEqual(entries)
  })
})
