import { isInNodeRange } from './node-range.ts'

/** Members of an entry of `packages` in package-lock.json that the checks use. */
type LockEntry = {
  readonly version?: string
  readonly resolved?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly engines?: { readonly node?: string }
}

/** package-lock.json. Keys of `packages` are paths such as `node_modules/esbuild`. */
export type Lock = { readonly packages: Readonly<Record<string, LockEntry>> }

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/**
 * Returns the platform packages that are missing for the supported platforms.
 *
 * npm writes a lock with the variants of one platform only when node_modules exists without the others
 * (https://github.com/npm/cli/issues/4828). `npm ci` then fails, or the program does, on every other platform.
 */
export function findMissingVariants(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    const named = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    if (!named.some((name) => platforms.some((platform) => isVariant(name, platform)))) return []
    return platforms.flatMap((platform) => {
      const variants = named.filter((name) => isVariant(name, platform))
      if (variants.length === 0) return [`${path} names no package for ${platform}`]
      return variants.filter((name) => !isLocked(lock, path, name)).map((name) => `${path} needs ${name}`)
    })
  })
}

/**
 * Returns the platform packages that npm would install on another platform too: those without `optional`, `os`, `cpu` or,
 * if they need musl, `libc`.
 *
 * The packages of EDR do not name their platform. The lock file does, and npm keeps that
 * ([decision 0075](../docs/decisions/0075-lighter-npm-ci.md)).
 */
export function findUnfilteredVariants(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, { optional, os = [], cpu = [], libc = [] }]) => {
    const [, platform = '', arch = '', rest = ''] = variantPattern.exec(path) ?? []
    if (platform === '') return []
    const isFiltered = os.includes(platform) && cpu.includes(arch) && (!rest.includes('musl') || libc.includes('musl'))
    return optional && isFiltered ? [] : [`${path} would be installed on every platform`]
  })
}

const variantPattern = /[/-](linux|darwin|win32)-(x64|arm64)((?:-\w+)?)$/

/** Returns the paths of packages that name the registry they were installed from. */
export function findRegistryUrls(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, { resolved }]) => (resolved?.startsWith('http') ? [path] : []))
}

/** Returns the names of all packages with an install script, of every platform, sorted. */
export function findInstallScripts(lock: Lock): string[] {
  const names = Object.entries(lock.packages).flatMap(([path, entry]) => (entry.hasInstallScript ? [nameOf(path)] : []))
  return [...new Set(names)].sort()
}

/** Returns the required packages whose `engines` exclude one of the Node versions: npm warns EBADENGINE about them. */
export function findEngineFaults(lock: Lock, nodeVersions: readonly string[]): string[] {
  return Object.entries(lock.packages).flatMap(([path, { optional, engines }]) => {
    const range = engines?.node
    if (optional || range === undefined) return []
    const excluded = nodeVersions.filter((version) => !isInNodeRange(version, range))
    return excluded.map((version) => `${path} excludes Node ${version}: ${range}`)
  })
}

/** Returns whether a package is the variant of a platform, such as `binding-linux-x64-gnu`. musl variants do not count. */
function isVariant(name: string, platform: string): boolean {
  return new RegExp(`(^|[-/])${platform}(-gnu)?$`).test(name)
}

/** Returns whether Node would find a package: in the node_modules of `path` or of a parent directory. */
function isLocked(lock: Lock, path: string, name: string): boolean {
  const parents = path.split('/')
  const places = parents.map((_, index) => parents.slice(0, parents.length - index).join('/'))
  return [...places.map((place) => `${place}/node_modules/${name}`), `node_modules/${name}`].some((place) =>
    Object.hasOwn(lock.packages, place),
  )
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
