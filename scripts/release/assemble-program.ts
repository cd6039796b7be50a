import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Component, listComponents } from './list-components.ts'
import type { Program } from './programs.ts'

type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
}

/**
 * Writes the package of a built program into a directory: bundles, pages, schemas, and what it needs of other packages.
 * It needs nothing of the repository. Returns the packages of other authors in it.
 */
export async function assembleProgram(
  program: Program,
  { root, target }: { readonly root: string; readonly target: string },
): Promise<readonly Component[]> {
  const components = await listComponents(root, program)
  const source = join(root, program.folder)
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
  mkdirSync(target, { recursive: true })
  for (const name of ['bin', 'dist/bundle']) copy(join(source, name), join(target, name))
  for (const [name, files] of Object.entries(program.parts)) {
    const part = join(root, 'packages', name)
    const own = join(target, 'node_modules/@tallystick', name)
    for (const file of files) copy(join(part, file), join(own, file))
    writeJson(join(own, 'package.json'), describePart(readManifest(part), files))
  }
  for (const name of program.extras) copy(join(root, name), join(target, name))
  for (const name of program.shipped) copy(join(root, 'node_modules', name), join(target, 'node_modules', name))
  copy(join(root, 'LICENSE'), join(target, 'LICENSE'))
  copy(join(root, program.readme), join(target, 'README.md'))
  writeFileSync(join(target, 'THIRD-PARTY-LICENSES.txt'), formatLicenses(components))
  writeJson(join(target, 'package.json'), describeProgram(manifest, { root, program }))
  setModes(target, Object.values(manifest.bin))
  return components
}

/** Copies what a program loads: no source maps and no declarations. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: (path) => !/\.map$|\.d\.[cm]?ts$/.test(basename(path)),
  })
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
}

/** Returns the package.json of a part: its name and version, and the exports by which the bundle finds its files. */
function describePart({ name, version, license, exports }: Manifest, files: readonly string[]): object {
  const published = Object.entries(exports as Readonly<Record<string, unknown>>).filter(
    ([entry, path]) => typeof path === 'string' && (entry === './package.json' || isIn(path, files)),
  )
  return { name, version, private: true, license, type: 'module', exports: Object.fromEntries(published) }
}

function isIn(path: string, files: readonly string[]): boolean {
  return files.some((file) => path === `./${file}` || path.startsWith(`./${file}/`))
}

/** Returns the package.json that is published: its dependencies are in the package, except those with files for a platform. */
function describeProgram(manifest: Manifest, { root, program }: { root: string; program: Program }): object {
  const { name, version, description, license, bin, peerDependencies, peerDependenciesMeta } = manifest
  const { homepage, repository, bugs, engines } = readManifest(root)
  const parts = Object.keys(program.parts).map((part) => `@tallystick/${part}`)
  const versions = new Map(parts.map((part) => [part, version]))
  for (const other of [...program.shipped, ...program.installed])
    versions.set(other, readManifest(join(root, 'node_modules', other)).version)
  return {
    ...{ name, version, description, license, homepage, repository, bugs },
    ...{ type: 'module', bin, engines },
    dependencies: Object.fromEntries(versions),
    bundleDependencies: [...parts, ...program.shipped],
    ...{ peerDependencies, peerDependenciesMeta },
  }
}

function formatLicenses(components: readonly Component[]): string {
  const head = 'This package contains or installs the following packages of other authors.\n'
  const texts = components.map(
    ({ name, version, license, licenseText }) =>
      `\n${'='.repeat(100)}\n${name} ${version} (${license})\n\n${licenseText ?? 'The package has no file with its licence.'}\n`,
  )
  return [head, ...texts].join('')
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** Sets the modes of all files, which otherwise depend on the umask. */
function setModes(directory: string, programs: readonly string[]): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  for (const program of programs) chmodSync(join(directory, program), 0o755)
}
