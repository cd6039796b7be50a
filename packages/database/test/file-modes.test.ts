// @module-tag slow

import { chmodSync, lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/open-database.ts'

const modeOf = (path: string) => lstatSync(path).mode & 0o777

test('behavior: only the owner can access the files of the embedded database, even if others could before', async ({
  skip,
}) => {
  skip(process.platform === 'win32', 'Windows has no file modes')
  const parent = mkdtempSync(join(tmpdir(), 'tallystick-modes-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const before = process.umask(0)
  onTestFinished(() => void process.umask(before))
  const open = async () => {
    const database = await openDatabase(`file:${parent}/db`)
    await database.query('create table if not exists t (x int)')
    await database.close()
  }
  const [directory, file, lock] = ['db', 'db/PG_VERSION', 'db.lock'].map((name) => join(parent, name)) as [
    string,
    string,
    string,
  ]
  await open()
  // Other users cannot access the files, regardless of the files' own permissions.
  expect([modeOf(directory), modeOf(lock)]).toEqual([0o700, 0o700])
  chmodSync(directory, 0o755)
  chmodSync(file, 0o644)
  chmodSync(lock, 0o755)
  await open()
  expect([modeOf(directory), modeOf(file), modeOf(lock)]).toEqual([0o700, 0o600, 0o700])
})
