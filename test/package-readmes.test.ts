import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listPackages } from './source-imports.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const described = listPackages().filter((folder) => hasTable(folder))

function readmeOf(folder: string): string {
  const path = join(root, folder, 'README.md')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function hasTable(folder: string): boolean {
  return readmeOf(folder).includes('## Its face')
}

test.each(described)('default: %s exports what its README names', (folder) => {
  const faces = ['index.ts', 'pure.ts']
    .map((name) => join(root, folder, 'src', name))
    .filter((path) => existsSync(path))
  const exported = new Set(faces.flatMap((path) => readFileSync(path, 'utf8').match(/\w+/g) ?? []))
  const named = [...readmeOf(folder).matchAll(/^\| `([\w, ]+)` \|/gm)].flatMap(([, names = '']) => names.split(', '))
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !exported.has(name))).toEqual([])
})

test('default: each package has a README that says what it must not know', () => {
  const folders = listPackages().filter((folder) => folder !== 'examples')
  expect(folders.length).toBeGreaterThan(20)
  expect(folders.filter((folder) => !/must not know/.test(readmeOf(folder)))).toEqual([])
})
