import { describe, expect, test } from 'vitest'
import { arrowsOfRooms, findCircle, listImports, listPackages, type SourceImport } from './source-imports.ts'

// Packages and the folders inside them are read by their imports, also those of types. Arrows point down, never up and
// never in a circle. docs/architecture.md shows the floors.

const floors: readonly (readonly string[])[] = [
  ['packages/core', 'packages/base', 'packages/contracts'],
  ['packages/chain', 'packages/database', 'packages/tlog', 'packages/http', 'packages/ui'],
  ['packages/subgraph', 'packages/keys', 'packages/issuer', 'packages/client', 'packages/workbench'],
  ['packages/gateway', 'packages/public-log', 'packages/notify', 'packages/monitor', 'packages/graph'],
  ['packages/service'],
  ['apps/tallystick', 'apps/sandbox', 'apps/portal', 'apps/console', 'examples'],
]
/** What a package may use besides its floor: less than the floors below it. */
const only: Readonly<Record<string, readonly string[]>> = {
  'packages/monitor': ['packages/core', 'packages/base', 'packages/chain', 'packages/tlog'],
  'packages/client': ['packages/core', 'packages/base', 'packages/contracts', 'packages/tlog'],
  'packages/workbench': ['packages/core', 'packages/base', 'packages/tlog'],
  'packages/ui': ['packages/core', 'packages/base'],
  'apps/console': ['packages/core', 'packages/base', 'packages/ui'],
}

const packages = listPackages()

/** Returns the imports of a package that its floor forbids. */
function findUpward(folder: string, imports: readonly SourceImport[]): readonly string[] {
  const floor = floors.findIndex((names) => names.includes(folder))
  const allowed = only[folder] ?? floors.slice(0, floor).flat()
  return imports.flatMap(({ from, to }) => {
    const target = packageOf(to)
    return target === undefined || target === folder || allowed.includes(target) ? [] : [`${folder}/${from} → ${to}`]
  })
}

function packageOf(name: string): string | undefined {
  if (name === 'tallystick' || name.startsWith('tallystick/')) return 'apps/tallystick'
  const [, short] = /^@tallystick\/([\w-]+)/.exec(name) ?? []
  return short && packages.find((folder) => folder.endsWith(`/${short}`))
}

test('default: every package has a floor', () => {
  expect(floors.flat().toSorted()).toEqual(packages.toSorted())
})

describe('default: a package imports only packages below it', () => {
  test.each(packages)('%s', (folder) => {
    expect(findUpward(folder, listImports(folder))).toEqual([])
  })
})

describe('default: the folders of a package, and the files beside them, form no circle', () => {
  test.each(packages)('%s', (folder) => {
    expect(findCircle(arrowsOfRooms(listImports(folder)))).toBeUndefined()
  })
})

test('error: an upward import of a type is found', () => {
  const planted = [{ from: 'curve/curve.ts', to: '@tallystick/service' }]
  expect(findUpward('packages/issuer', planted)).toEqual(['packages/issuer/curve/curve.ts → @tallystick/service'])
  expect(findUpward('packages/issuer', [{ from: 'a.ts', to: '@tallystick/keys' }])).toHaveLength(1)
  expect(findUpward('packages/monitor', [{ from: 'a.ts', to: '@tallystick/database' }])).toHaveLength(1)
})

test('error: a circle of folders is found although no file is part of one', () => {
  const planted = [
    { from: 'curve/a.ts', to: './journal/b.ts' },
    { from: 'journal/c.ts', to: './settings.ts' },
    { from: 'settings.ts', to: './curve/d.ts' },
  ]
  expect(findCircle(arrowsOfRooms(planted))).toEqual(['curve', 'journal', 'settings.ts', 'curve'])
})
