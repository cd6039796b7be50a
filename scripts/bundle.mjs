// Bundles each built program into one file, or the command line into a few, unless it is up to date. Node loads that in
// a third of the time that it takes to find and load a thousand modules.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeProgram } from './node-program.mjs'

const programs = [
  'apps/tallystick/dist/cli.js',
  'packages/gateway/dist/public/query-thread-main.js',
  'packages/issuer/dist/treasury/parse-feed-main.js',
  'apps/sandbox/dist/main.js',
  'packages/database/dist/pglite/thread-main.js',
  'packages/workbench/dist/dev-chain/serve-dev-chain.js',
]

const staleMs = 24 * 3_600_000

const root = fileURLToPath(new URL('../', import.meta.url))
const outdated = programs.filter((program) => !isUpToDate(program))
if (outdated.length > 0) await bundle(outdated)

/** Returns the path of a bundle: next to the folders of the build, named as the program. */
function bundleOf(program) {
  const [, folder, name] = /^(\w+\/[\w-]+)\/dist\/(?:.*\/)?([\w-]+)\.js$/.exec(program)
  return `${folder}/dist/bundle/${name}.js`
}

/** A bundle is up to date if it is newer than the last build of each package and than the installed dependencies. */
function isUpToDate(program) {
  const path = join(root, bundleOf(program))
  if (!existsSync(path)) return false
  const builds = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name, 'dist/.tsbuildinfo')),
  )
  const sources = [...builds.filter(existsSync), join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]
  return sources.every((source) => statSync(source).mtimeMs <= statSync(path).mtimeMs)
}

async function bundle(entries) {
  // Imported here, because loading esbuild takes longer than to see that nothing changed.
  const { build } = await import('esbuild')
  await Promise.all(
    entries.map(async (entry) => {
      const target = join(root, bundleOf(entry))
      const { outputFiles } = await build({
        absWorkingDir: root,
        entryPoints: [entry],
        outdir: dirname(target),
        // A command of the command line loads what it needs when it runs. The other programs need everything.
        splitting: entry.endsWith('/cli.js'),
        chunkNames: 'chunks/[name]-[hash]',
        write: false,
        ...nodeProgram,
        logLevel: 'warning',
      })
      writeBundle(target, outputFiles)
    }),
  )
}

/**
 * Writes the chunks and then the program. Each file is renamed when it is complete, and a chunk has the hash of its
 * content in its name, so a process that starts meanwhile finds all chunks of the old program or all of the new one.
 */
function writeBundle(target, files) {
  const chunks = join(dirname(target), 'chunks')
  mkdirSync(files.length > 1 ? chunks : dirname(target), { recursive: true })
  for (const { path, contents } of files.toSorted((a, b) => Number(a.path === target) - Number(b.path === target))) {
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, path)
  }
  if (files.length === 1) return
  const current = new Set(files.map(({ path }) => path))
  for (const name of readdirSync(chunks)) {
    const path = join(chunks, name)
    // A process that started before may still load a chunk of the old program.
    if (!current.has(path) && Date.now() - statSync(path).mtimeMs > staleMs) rmSync(path, { force: true })
  }
}
