import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Face, nameModules, readFace } from '../../../scripts/name-modules.mjs'

// Assembles dist, the published folder: the modules tsc built that the entries import, and those of base, core, contracts and tlog in
// folders of their names. An integrator installs viem, and gets the noble libraries that viem has too. Decision 0010.

const client = fileURLToPath(new URL('../', import.meta.url))
const bundledPackages: Readonly<Record<string, string>> = {
  base: fileURLToPath(new URL('../../base/dist/', import.meta.url)),
  core: fileURLToPath(new URL('../../core/dist/', import.meta.url)),
  tlog: fileURLToPath(new URL('../../tlog/dist/', import.meta.url)),
  contracts: fileURLToPath(new URL('../../contracts/dist/generated/', import.meta.url)),
}
const faces = [
  { name: 'base', imported: '@tallystick/base/pure', module: 'pure' },
  { name: 'core', imported: '@tallystick/core', module: 'index' },
  { name: 'tlog', imported: '@tallystick/tlog', module: 'index' },
] as const
const importPattern = /((?:from|import)\s*\(?\s*)(['"])([^'"]+)\2/g

const [sources, declarations] = [await findFaces('js'), await findFaces('d.ts')]

/** Path in dist → text. */
const modules = new Map<string, string>()

// Not every file of build: those of removed sources stay there.
for (const entry of ['index', 'viem/index', 'react/index']) await addModule(entry)
const target = join(client, 'dist')
// Written beside it first, so that what is there is whole or not there.
const staging = `${target}.${process.pid}`
for (const [path, text] of modules) {
  await mkdir(dirname(join(staging, path)), { recursive: true })
  await writeFile(join(staging, path), text)
}
await rm(target, { recursive: true, force: true })
await rename(staging, target)
await copyFile(fileURLToPath(new URL('../../../LICENSE', import.meta.url)), join(client, 'LICENSE'))

/** Adds a module by its path without extension and, recursively, the modules it imports. */
async function addModule(module: string): Promise<void> {
  await add(`${module}.js`, `${findBuild(module)}.js`)
  await add(`${module}.d.ts`, `${findBuild(module)}.d.ts`)
}

async function add(path: string, source: string): Promise<void> {
  if (modules.has(path)) return
  modules.set(path, '')
  // Maps are not shipped: they lead to sources that are not there.
  const built = (await readFile(source, 'utf8')).replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
  const known = source.endsWith('.d.ts') ? declarations : sources
  const text = nameModules(built, (imported) => known.get(imported))
  const needed = new Set<string>()
  const rewritten = text.replace(importPattern, (whole, head: string, quote: string, name: string) => {
    if (/^(viem|react|react-dom|@noble\/(curves|hashes))(\/|$)/.test(name)) return whole
    const imported = moduleOf(path, name)
    needed.add(imported)
    return `${head}${quote}${relativeTo(path, `${imported}.js`)}${quote}`
  })
  modules.set(path, rewritten)
  for (const module of needed) await addModule(module)
}

/** Returns the modules of a face of core or base. */
async function findFaces(extension: 'js' | 'd.ts'): Promise<ReadonlyMap<string, Face>> {
  const entries = faces.map(async ({ name, imported, module }) => {
    const text = await readFile(join(bundledPackages[name] as string, `${module}.${extension}`), 'utf8')
    return [imported, readFace(text, (path) => path.replace(/^\.(.*)\.(js|ts)$/, `@tallystick/${name}$1`))] as const
  })
  return new Map(await Promise.all(entries))
}

/** Returns the built file of a module, without its extension. */
function findBuild(module: string): string {
  const [folder = '', ...path] = module.split('/')
  const build = bundledPackages[folder]
  return build ? join(build, ...path) : join(client, 'build', module)
}

/** Returns the path in dist, without its extension, of an imported module. */
function moduleOf(path: string, name: string): string {
  const bundled = /^@tallystick\/(?:base|core|contracts|tlog)\/.+$/.exec(name)?.[0]
  if (bundled) return bundled.replace('@tallystick/', '')
  if (name.startsWith('.')) return join(dirname(path), name.replace(/\.(js|ts)$/, ''))
  throw new Error(`${path} imports ${name}, which is not part of the published package.`)
}

function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}
