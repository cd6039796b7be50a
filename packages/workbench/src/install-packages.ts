import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { isRunning } from './is-running.ts'

export type InstallOptions = {
  /** Prints that the packages are installed now. */
  readonly say?: (line: string) => void
}

/**
 * Installs the packages of a folder that has a lock file of its own, unless they are there, and returns a `require` that
 * finds them. Only one tool or test needs such packages, so `npm ci` of the repository leaves them out.
 *
 * They are in the folder's `node_modules` only when they are complete, so any number of processes can call this at once.
 */
export async function installPackages(
  folder: string,
  { say = (line) => void process.stdout.write(`${line}\n`) }: InstallOptions = {},
): Promise<NodeJS.Require> {
  const lock = await readFile(join(folder, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex')
  if (!(await isInstalled(folder, hash))) {
    const count = Object.keys(JSON.parse(String(lock)).packages).length - 1
    say(`Installing the packages of ${nameOf(folder)} from the npm registry (up to ${count}), once.`)
    await removeAbandoned(folder)
    await install(folder, hash)
  }
  return createRequire(join(folder, 'package.json'))
}

const repositoryModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/**
 * Links an installed package into the `node_modules` of the repository, for code that finds it by its name or its path
 * there. `npm ci` removes the link.
 */
export async function linkPackage(folder: string, name: string, modules = repositoryModules): Promise<void> {
  const target = await realpath(join(folder, 'node_modules', name))
  const link = join(modules, name)
  const found = await realpath(link).catch(ignore('ENOENT'))
  if (found === target) return
  if (found !== undefined) await rm(link, { recursive: true })
  await mkdir(dirname(link), { recursive: true })
  // On Windows, only a junction needs no privilege. Another process may have been first.
  await symlink(target, link, 'junction').catch(ignore('EEXIST'))
}

const prefix = '.installing-'
const hashFile = '.lock-hash'

async function isInstalled(folder: string, hash: string): Promise<boolean> {
  const path = join(folder, 'node_modules', hashFile)
  return existsSync(path) && (await readFile(path, 'utf8')) === hash
}

/** Installs into a new directory and moves the result to its place, unless another process was first. */
async function install(folder: string, hash: string): Promise<void> {
  const directory = await mkdtemp(join(folder, `${prefix}${process.pid}-`))
  try {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
      if (existsSync(join(folder, name))) await copyFile(join(folder, name), join(directory, name))
    }
    await runNpmCi(directory, nameOf(folder))
    await writeFile(join(directory, 'node_modules', hashFile), hash)
    await place(directory, folder, hash)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function place(directory: string, folder: string, hash: string): Promise<void> {
  const target = join(folder, 'node_modules')
  if (await isInstalled(folder, hash)) return
  await rename(target, join(directory, 'outdated')).catch(ignore('ENOENT'))
  try {
    await rename(join(directory, 'node_modules'), target)
  } catch (error) {
    if (!(await isInstalled(folder, hash))) throw error
  }
}

function ignore(expected: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== expected) throw error
  }
}

async function runNpmCi(cwd: string, name: string): Promise<void> {
  // None of these packages has an install script now. One that appears must not run unseen.
  const child = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd,
    // On Windows, npm is a script.
    shell: platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)))
  const [status] = await once(child, 'close')
  if (status === 0) return
  throw new Error(
    `The packages of ${name} were not installed: npm ci ended with ${status}. It needs the npm registry once. Check the network and the registry (\`npm ping\`), and repeat the command.\n${printed.join('')}`,
  )
}

/** Removes the directories of processes that were killed while they installed. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(name.startsWith(prefix) && name.slice(prefix.length).split('-')[0])
    if (pid > 0 && !isRunning(pid)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

function nameOf(folder: string): string {
  return relative(process.cwd(), folder) || '.'
}
