import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listDescribedActions } from '@tallystick/core'
import { expect, test } from 'vitest'
import { listPackages } from './source-imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Lists the actions that the sources of a package record. */
function listActions(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^src\/.*(?<!\.test)\.ts$/.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(root, folder, path), 'utf8')
      return [...text.matchAll(/\baction: '([a-z]+\.[a-z]+)'/g)].map(([, action = '']) => action)
    })
}

test('default: every action that is recorded has a sentence, and every sentence an action', () => {
  const recorded = new Set(listPackages().flatMap(listActions))
  expect(recorded.size).toBeGreaterThan(15)
  expect(listDescribedActions().toSorted()).toEqual([...recorded].toSorted())
})
