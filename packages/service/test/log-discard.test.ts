// @module-tag postgres

import type { Database } from '@tallystick/database'
import { findLastNoteSet } from '@tallystick/issuer'
import { createNoteLog } from '@tallystick/public-log'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openServiceDatabase } from '../src/database/service-database.ts'
import { newDatabase, start } from './harness.ts'

/** Deletes the notes in a transaction that commits once another one waits for a lock. Resolves when they are deleted. */
async function startDiscarding(database: Database): Promise<{ readonly committed: Promise<unknown> }> {
  const isWaiting = async () => {
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await database.query(waiting)).length > 0
  }
  let committed: Promise<unknown> = Promise.resolve()
  await new Promise<void>((resolve) => {
    committed = database.transaction(async (transaction) => {
      // As `discardPrematureSet` does.
      await transaction.query('lock table curves in exclusive mode')
      for (const table of ['notes', 'note_sets']) await transaction.query(`delete from ${table}`)
      resolve()
      await vi.waitUntil(isWaiting, waitOptions)
    })
  })
  return { committed }
}

test('error: a stored set that is discarded while it is being logged is not logged', async () => {
  const databaseUrl = await newDatabase()
  const service = await start({ databaseUrl, at: '2026-11-16T10:00:00-05:00' })
  const { config, clock } = service
  await service.stop()
  const database = await openServiceDatabase(databaseUrl, () => undefined)
  onTestFinished(() => database.close())
  const [chain] = config.chains as [(typeof config.chains)[number]]
  const set = await findLastNoteSet(database, { chainId: chain.id })
  let transactions = 0
  let discarding: Awaited<ReturnType<typeof startDiscarding>> | undefined
  // The first transaction logs the curve, the second the set.
  const interleaved: Database = {
    ...database,
    transaction: async (work) => {
      transactions += 1
      if (transactions === 2) discarding = await startDiscarding(database)
      return database.transaction(work)
    },
  }
  const publicLog = { problem: () => undefined, cover: () => Promise.reject(new Error('not covered')), tree: undefined }
  const noteLog = createNoteLog({ database: interleaved, publicLog: publicLog as never, why: '', time: clock })
  const failure = await noteLog.cover(set as NonNullable<typeof set>, chain).catch((error: unknown) => error)
  await discarding?.committed
  const entries = await database.query<{ type: string }>("select entry::jsonb->>'type' as type from log_entries")
  expect(entries).toEqual([{ type: 'curve' }])
  expect(failure).toMatchObject({ message: expect.stringContaining('was discarded') })
})
