import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

// Makes dist, which is what is published: the modules tsc built, and beside them those of core they use, as `core/…`. So
// the source is one, and whoever installs the package needs nothing but viem. Decision 0010.

const client = fileURLToPath(new URL('../', import.meta.url))
const coreBuild = fileURLToPath(new URL('../../core/dist/', import.meta.url))
const importPattern = /((?:from|import)\s*\(?\s*)(['"])([^'"]+)\2/g

/** Path in dist → text. */
const modules = new Map<string, string>()

for (const path of await readdir(join(client, 'build'), { recursive: true })) {
  if (/\.(js|d\.ts)$/.test(path)) await add(path, join(client, 'build', path))
}
const target = join(client, 'dist')
// Written beside it first, so that what is there is whole or not there.
const staging = `${target}.${process.pid}`
for (const [path, text] of modules) {
  await mkdir(dirname(join(staging, path)), { recursive: true })
  await writeFile(join(staging, path), text)
}
await copyFile(fileURLToPath(new URL('../../../LICENSE', import.meta.url)), join(staging, 'LICENSE'))
await rm(target, { recursive: true, force: true })
await rename(staging, target)

/** Takes in a module and, for each it imports from core, that one too. */
async function add(path: string, source: string): Promise<void> {
  if (modules.has(path)) return
  modules.set(path, '')
  // Maps are not shipped: they lead to sources that are not there.
  const text = (await readFile(source, 'utf8')).replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
  const needed = new Set<string>()
  const rewritten = text.replace(importPattern, (whole, head: string, quote: string, name: string) => {
    if (/^viem(\/|$)/.test(name)) return whole
    const imported = moduleOf(path, name)
    if (imported.startsWith('core/')) needed.add(imported)
    return `${head}${quote}${relativeTo(path, `${imported}.js`)}${quote}`
  })
  modules.set(path, rewritten)
  for (const module of needed) {
    const file = join(coreBuild, relative('core', module))
    await add(`${module}.js`, `${file}.js`)
    await add(`${module}.d.ts`, `${file}.d.ts`)
  }
}

/** The path in dist, without its extension, of what a module imports. */
function moduleOf(path: string, name: string): string {
  const subpath = /^@tallystick\/core\/(.+)$/.exec(name)?.[1]
  if (subpath) return `core/${subpath}`
  if (name.startsWith('.')) return join(dirname(path), name.replace(/\.(js|ts)$/, ''))
  throw new Error(`${path} imports ${name}, which whoever installs the package will not have.`)
}

function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}
