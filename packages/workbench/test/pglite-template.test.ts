import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { expect, onTestFinished, test } from 'vitest'
import { copyPgliteTemplate } from '../src/pglite-template.ts'

test('default: several copies to one path at once are one database that works', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-template-test-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'db')
  await Promise.all([copyPgliteTemplate(path), copyPgliteTemplate(path), copyPgliteTemplate(path)])
  expect(await readdir(directory)).toEqual(['db'])
  const pglite = await PGlite.create(path)
  await pglite.query('create table kept (number integer)')
  await pglite.close()
  await copyPgliteTemplate(path)
  const again = await PGlite.create(path)
  expect((await again.query('select * from kept')).rows).toEqual([])
  await again.close()
})
