import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// A package is used through the exports of its package.json. A relative import into its `src` bypasses them.

const root = fileURLToPath(new URL('../', import.meta.url))
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

/** Files that compare documentation with internals, and the set-up, which runs before the packages are built. */
const exceptions = [/^test\/[a-z-]+-documented\.test\.ts$/, /^test\/(set-up|mutation)\//]

test('behavior: no file imports from the src of another package by path', () => {
  const files = ['apps', 'packages', 'bench', 'examples', 'soak', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter(
      (path) => /\.(tsx?|m?js)$/.test(path) && !/\/(node_modules|dist|build)\/|^packages\/service\/portal/.test(path),
    )
    .filter((path) => !exceptions.some((exception) => exception.test(path)))
  expect(files.length).toBeGreaterThan(400)
  expect(files.flatMap(findForeignImports)).toEqual([])
})

function findForeignImports(path: string): readonly string[] {
  const imported = [...readFileSync(join(root, path), 'utf8').matchAll(importPattern)].map(([, target = '']) =>
    normalize(join(dirname(path), target)),
  )
  return imported
    .filter((target) => {
      const owner = /^((?:apps|packages)\/[^/]+)\/src\//.exec(target)?.[1]
      return owner !== undefined && !path.startsWith(`${owner}/`)
    })
    .map((target) => `${path} imports ${target}`)
}
