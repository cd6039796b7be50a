import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const linesMax = 250

function listSources(folder: string): string[] {
  return readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test(-d)?\.tsx?$|(^|\/)generated\//.test(path))
    .map((path) => join(folder, 'src', path))
}

const folders = ['apps', 'packages'].flatMap((parent) =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(join(root, parent, entry.name)).includes('src'))
    .map((entry) => join(parent, entry.name)),
)

test('default: no source file has more than 250 lines', () => {
  const files = folders.flatMap(listSources)
  const large = files.filter((path) => readFileSync(join(root, path), 'utf8').split('\n').length - 1 > linesMax)
  expect(files.length).toBeGreaterThan(500)
  expect(large).toEqual([])
})
