// Bundles each built program into one file, unless it is up to date. Node loads that in a third of the time that it takes
// to find and load a thousand modules.
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const programs = ['apps/api/dist/cli.js', 'apps/api/dist/data/query-thread-main.js', 'apps/sandbox/dist/main.js']

const root = fileURLToPath(new URL('../', import.meta.url))
const outdated = programs.filter((program) => !isUpToDate(program))
if (outdated.length > 0) await bundle(outdated)

/** Returns the path of a bundle: next to the folders of the build, named as the program. */
function bundleOf(program) {
  const [, app, name] = /^(apps\/\w+)\/dist\/(?:.*\/)?([\w-]+)\.js$/.exec(program)
  return `${app}/dist/bundle/${name}.js`
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
      const draft = `${target}.${process.pid}`
      await build({
        absWorkingDir: root,
        entryPoints: [entry],
        outfile: draft,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        // These load further files of their packages.
        external: ['@electric-sql/pglite', '@nomicfoundation/edr', 'pg-native'],
        // Bundled CommonJS modules call require for modules of Node.
        banner: {
          js: "import { createRequire as createBundleRequire } from 'node:module'\nconst require = createBundleRequire(import.meta.url)",
        },
        logLevel: 'warning',
      })
      // Renamed when complete: a process that starts meanwhile reads the old file or the new one.
      renameSync(draft, target)
    }),
  )
}
