import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPglite } from '../src/pglite/open-pglite.ts'

const megabyte = 1_048_576

test('behavior: the write-ahead log of an embedded database is deleted at checkpoints and on close', async () => {
  const { url, remove } = await createTestDatabase('pglite', inject('databases'))
  onTestFinished(remove)
  const directory = url.slice('file:'.length)
  const first = await openPglite(directory, { checkpointMs: 100 })
  await fillLog(first)
  await expect.poll(() => logBytes(directory)).toBeLessThanOrEqual(32 * megabyte)
  await first.close()
  const second = await openPglite(directory)
  await fillLog(second)
  expect(await logBytes(directory)).toBeGreaterThan(32 * megabyte)
  await second.close()
  expect(await logBytes(directory)).toBeLessThanOrEqual(32 * megabyte)
})

/** Writes segments of the log, 16 MB each. */
async function fillLog(database: Awaited<ReturnType<typeof openPglite>>): Promise<void> {
  await database.query('create table if not exists filler (number integer)')
  for (let number = 0; number < 4; number += 1) {
    await database.query('insert into filler values ($1)', [number])
    await database.query('select pg_switch_wal()')
  }
}

async function logBytes(directory: string): Promise<number> {
  const log = join(directory, 'pg_wal')
  const sizes = (await readdir(log)).map(async (name) => {
    // A segment may be deleted between listing and reading.
    const found = await stat(join(log, name)).catch(() => undefined)
    return found?.isFile() ? found.size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
