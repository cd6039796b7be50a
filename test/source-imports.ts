import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"\n]+)['"]/g

/** An import of a source file, also one of types only. */
export type SourceImport = { readonly from: string; readonly to: string }

/** Lists the folders of packages, applications and examples. */
export function listPackages(): readonly string[] {
  const inside = (parent: string) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
  return [...inside('packages'), ...inside('apps'), 'examples'].filter((folder) =>
    existsSync(join(root, folder, 'package.json')),
  )
}

/** Lists the sources of a package, without its tests, by their paths in its `src`. */
function listSources(folder: string): readonly string[] {
  const source = sourceFolder(folder)
  return readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!node_modules|generated).*(?<!\.test)(?<!\.d)\.tsx?$/.test(path))
    .toSorted()
}

/** Lists the imports of a package's sources. Paths inside the package are those in its `src`. */
export function listImports(folder: string): readonly SourceImport[] {
  return listSources(folder).flatMap((from) => {
    const text = readFileSync(join(root, sourceFolder(folder), from), 'utf8')
    return [...text.matchAll(importPattern)].map(([, name = '']) => ({ from, to: resolveImport(from, name) }))
  })
}

function resolveImport(from: string, name: string): string {
  return name.startsWith('.') ? `./${normalize(join(dirname(from), name))}` : name
}

function sourceFolder(folder: string): string {
  return existsSync(join(root, folder, 'src')) ? `${folder}/src` : folder
}

/** Returns the arrows of a circle, or undefined if there is none. */
export function findCircle(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of arrows.get(name) ?? []) {
      const circle = visit(next, [...path, name])
      if (circle) return circle
    }
    done.add(name)
    return undefined
  }
  for (const name of arrows.keys()) {
    const circle = visit(name, [])
    if (circle) return circle
  }
  return undefined
}

/** Returns the arrows between the rooms of a package: its folders, and the files beside them. The face is in none. */
export function arrowsOfRooms(imports: readonly SourceImport[]): ReadonlyMap<string, ReadonlySet<string>> {
  const arrows = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    if (!to.startsWith('./') || from === 'index.ts') continue
    const [room, other] = [roomOf(from), roomOf(to.slice(2))]
    if (room !== other) arrows.set(room, (arrows.get(room) ?? new Set()).add(other))
  }
  return arrows
}

function roomOf(path: string): string {
  return path.split('/')[0] as string
}
