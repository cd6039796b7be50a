import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const folders = [...listFolders('packages'), ...listFolders('apps'), 'examples']
const declared = new Map(folders.map((folder) => [nameOf(folder), readDependencies(folder)]))

type Arrows = ReadonlyMap<string, readonly string[]>

function listFolders(parent: string): string[] {
  return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
}

function nameOf(folder: string): string {
  return folder.split('/').at(-1) as string
}

/** Returns the packages of this repository that a package uses: at run time, or bundled into its build. */
function readDependencies(folder: string): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const imported = readImports(folder)
  const bundled = internal(Object.keys(devDependencies ?? {})).filter((name) => imported.includes(name))
  return [...internal(Object.keys(dependencies ?? {})), ...bundled].toSorted()
}

function internal(names: readonly string[]): string[] {
  return names
    .flatMap((name) => /^(?:@tallystick\/([\w-]+)|(tallystick)$)/.exec(name)?.slice(1).find(Boolean) ?? [])
    .toSorted()
}

/** Returns the packages of this repository that the sources of a package import, without its tests. */
function readImports(folder: string): string[] {
  const source = existsSync(join(root, folder, 'src')) ? join(root, folder, 'src') : join(root, folder)
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^(?!node_modules).*(?<!\.test)\.tsx?$/.test(path),
  )
  const imports = files.flatMap((path) => [
    ...readFileSync(join(source, path), 'utf8').matchAll(
      /^(?:import|export|\}) ?.*from '(@tallystick\/[\w-]+|tallystick)'?/gm,
    ),
  ])
  return [...new Set(internal(imports.map(([, name]) => name as string)))].filter((name) => name !== nameOf(folder))
}

function reach(arrows: Arrows, name: string): string[] {
  const next = arrows.get(name) ?? []
  return [...new Set([...next, ...next.flatMap((other) => reach(arrows, other))])].toSorted()
}

test('default: the table lists every package with its dependencies', () => {
  const rows = [...text.matchAll(/^\| `((?:packages|apps)\/[\w-]+|examples)` \|(.*?)\|/gm)].map(
    ([, folder = '', uses = '']) => [nameOf(folder), uses.match(/[\w-]+/g) ?? []] as const,
  )
  expect(new Map(rows)).toEqual(declared)
})

test('default: the drawing shows the same arrows as the table, directly or through others', () => {
  const [, drawing = ''] = /```mermaid\n([\s\S]*?)```/.exec(text) ?? []
  const edges = [...drawing.matchAll(/^ +([\w-]+?)_?(?:\[.*?\])? --> ([\w-]+?)_?(?:\[.*\])?$/gm)]
  const drawn = new Map(
    folders.map(nameOf).map((name) => [name, edges.flatMap(([, from, to = '']) => (from === name ? [to] : []))]),
  )
  expect(edges).toHaveLength(drawing.match(/-->/g)?.length ?? 0)
  for (const name of declared.keys()) expect([name, reach(drawn, name)]).toEqual([name, reach(declared, name)])
})

describe('behavior: a package imports only packages that it declares', () => {
  test.each(folders)('%s', (folder) => {
    expect(readImports(folder).filter((name) => !declared.get(nameOf(folder))?.includes(name))).toEqual([])
  })
})

describe('behavior: every file that a guide names exists', () => {
  test.each(['docs/architecture.md', 'CONTRIBUTING.md', 'SECURITY.md'])('%s', (guide) => {
    const names = [...readFileSync(join(root, guide), 'utf8').matchAll(/`([\w.-]+\/[\w./-]*|[\w-]+\.ts)`/g)]
    const places = ['', ...folders.map((folder) => `${folder}/src`)]
    const missing = names
      .map(([, name]) => name as string)
      .filter((name) => !places.some((place) => existsSync(join(root, place, name))))
    expect(missing).toEqual([])
  })
})
