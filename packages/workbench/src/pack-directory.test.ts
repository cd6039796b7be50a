import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packDirectory, unpackDirectory } from './pack-directory.ts'

test('default: files, empty files and empty directories come back, whatever order they were made in', () => {
  const files = { 'b/deep/zeros': Buffer.alloc(100_000), 'b.conf': Buffer.from('é\n\n'), empty: Buffer.alloc(0) }
  const first = createDirectory(files)
  const second = createDirectory(Object.fromEntries(Object.entries(files).reverse()))
  const packed = packDirectory(first)
  expect(packDirectory(second).equals(packed)).toBe(true)
  const copy = createDirectory({}, [])
  unpackDirectory(packed, copy)
  expect(readdirSync(copy, { recursive: true }).sort()).toEqual([
    'b',
    'b.conf',
    'b/deep',
    'b/deep/zeros',
    'empty',
    'hollow',
  ])
  for (const [name, content] of Object.entries(files)) expect(readFileSync(join(copy, name)).equals(content)).toBe(true)
})

function createDirectory(files: Readonly<Record<string, Buffer>>, directories = ['hollow', 'b', 'b/deep']): string {
  const directory = mkdtempSync(join(tmpdir(), 'pack-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  for (const name of directories) mkdirSync(join(directory, name))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}
