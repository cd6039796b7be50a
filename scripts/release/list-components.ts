import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { nodeProgram } from '../node-program.mjs'
import { packagesOf } from '../packages-of.ts'
import type { Program } from './programs.ts'

/** Package of another author that a released package contains or installs. */
export type Component = {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string
  /** Hash of the package's archive, as the lock file has it. Absent for a copy that is not in the lock file. */
  readonly integrity?: string | undefined
  /** Text of its licence. */
  readonly licenseText?: string | undefined
}

/** Lists what a program contains of other packages: in its bundles, in its pages, and as packages. Sorted by name. */
export async function listComponents(root: string, program: Program): Promise<readonly Component[]> {
  const { metafile = { outputs: {} } } = await build({
    absWorkingDir: root,
    entryPoints: [...program.entries],
    // Nothing is written. esbuild needs it to name the files.
    outdir: 'dist',
    write: false,
    metafile: true,
    ...nodeProgram,
    logLevel: 'warning',
  })
  const { packages: ofPages } = JSON.parse(readFileSync(join(root, 'packages/service/portal/build.json'), 'utf8')) as {
    readonly packages: readonly string[]
  }
  const others = [...program.shipped, ...program.installed].map((name) => `node_modules/${name}`)
  return describePackages(root, [...packagesOf(metafile), ...ofPages, ...others])
}

/** Describes installed packages by their directories. Two directories with one version of a package are one component. */
export function describePackages(root: string, directories: readonly string[]): readonly Component[] {
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string }>>
  }
  const components = directories.map((directory) => {
    const manifest = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8')) as Manifest
    const { name, version, license = 'NOASSERTION' } = manifest
    const integrity = locked[directory]?.integrity
    const component: Component = {
      name,
      version,
      license: typeof license === 'string' ? license : license.type,
      integrity,
      licenseText: readLicense(join(root, directory)),
    }
    return [`${name}@${version}`, component] as const
  })
  return [...new Map(components).values()].sort(
    (a, b) => compareText(a.name, b.name) || compareText(a.version, b.version),
  )
}

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license?: string | { readonly type: string }
}

/** Compares by code units: the order must not depend on the language of the machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function readLicense(directory: string): string | undefined {
  const name = readdirSync(directory)
    .sort()
    .find((file) => /^(licen[cs]e|copying)(\.|-|$)/i.test(file))
  return name === undefined ? undefined : readFileSync(join(directory, name), 'utf8').trim()
}
