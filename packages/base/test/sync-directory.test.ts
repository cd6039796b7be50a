import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { syncDirectory } from '../src/sync-directory.ts'

test('default: a directory is synced', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-sync-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await expect(syncDirectory(directory)).resolves.toBeUndefined()
})

test('error: a directory that cannot be synced is reported', async (context) => {
  await expect(syncDirectory(join(tmpdir(), 'tallystick-none'))).rejects.toThrow('ENOENT')
  if (process.platform !== 'linux') context.skip('only Linux has a directory that refuses a sync')
  await expect(syncDirectory('/proc')).rejects.toThrow('EINVAL')
})

test('behavior: on Windows nothing is opened', async () => {
  await expect(syncDirectory(join(tmpdir(), 'tallystick-none'), 'win32')).resolves.toBeUndefined()
})
