import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { installPackages, linkPackage } from '../src/install-packages.ts'
import { type LocalServer, startLocalServer } from '../src/start-local-server.ts'

let directory: string
let folder: string
let registry: LocalServer
let said: string[]
const say = (line: string) => void said.push(line)

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tallystick-install-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  folder = join(directory, 'tool')
  mkdirSync(folder)
  said = []
  registry = await startRegistry()
  onTestFinished(() => registry.stop())
  vi.stubEnv('npm_config_registry', registry.url)
  vi.stubEnv('npm_config_cache', join(directory, 'cache'))
  vi.stubEnv('npm_config_fetch_retries', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  lock('1.0.0')
})

/** Starts a registry that has one package, in the versions that `pack` makes. */
async function startRegistry(): Promise<LocalServer> {
  const server = await startLocalServer(({ url = '' }, response) => {
    const [, version] = /\/(\d\.\d\.\d)\.tgz$/.exec(url) ?? []
    if (version !== undefined) return response.end(pack(version))
    const versions = ['1.0.0', '2.0.0'].map((one) => {
      const dist = { tarball: `${server.url}/chosen/-/${one}.tgz`, integrity: integrityOf(one) }
      return [one, { name: 'chosen', version: one, dist }] as const
    })
    return response.end(JSON.stringify({ name: 'chosen', versions: Object.fromEntries(versions) }))
  })
  return server
}

function pack(version: string): Buffer {
  const path = join(directory, version)
  if (!existsSync(`${path}.tgz`)) {
    mkdirSync(join(path, 'package'), { recursive: true })
    // npm must not run it.
    const scripts = { install: 'node -e "process.exit(1)"' }
    writeFileSync(join(path, 'package/package.json'), JSON.stringify({ name: 'chosen', version, scripts }))
    execFileSync('tar', ['-czf', `${path}.tgz`, '-C', path, 'package'])
  }
  return readFileSync(`${path}.tgz`)
}

function integrityOf(version: string): string {
  return `sha512-${createHash('sha512').update(pack(version)).digest('base64')}`
}

function lock(version: string): void {
  const dependencies = { chosen: version }
  const packages = {
    '': { dependencies },
    'node_modules/chosen': { version, integrity: integrityOf(version), hasInstallScript: true },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
}

const packageName: string = 'chosen'

async function installedVersion(): Promise<string> {
  const require = await installPackages(folder, { say })
  // Not by `require`, which would return the version that it loaded first.
  return JSON.parse(readFileSync(require.resolve(`${packageName}/package.json`), 'utf8')).version
}

const files = ['node_modules', 'package-lock.json', 'package.json']

test('default: installs once, without scripts, and needs no registry later', async () => {
  expect(await installedVersion()).toBe('1.0.0')
  expect(said).toEqual([expect.stringMatching(/^Installing the packages of .*tool from the npm registry \(up to 1\)/)])
  expect(readdirSync(folder).sort()).toEqual(files)
  await registry.stop()
  expect(await installedVersion()).toBe('1.0.0')
  expect(said).toHaveLength(1)
})

test('behavior: another lock file replaces the packages', async () => {
  await installedVersion()
  lock('2.0.0')
  expect(await installedVersion()).toBe('2.0.0')
  expect(readdirSync(folder).sort()).toEqual(files)
})

test('behavior: several callers at once get complete packages, and nothing else is left', async () => {
  expect(await Promise.all([installedVersion(), installedVersion(), installedVersion()])).toEqual([
    ...['1.0.0', '1.0.0', '1.0.0'],
  ])
  expect(readdirSync(folder).sort()).toEqual(files)
})

test('behavior: packages of which no lock is known, such as half of them, are replaced, and so is what a killed process left', async () => {
  mkdirSync(join(folder, 'node_modules/chosen'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/chosen/package.json'), '{')
  const killed = spawn(process.execPath, ['-e', ''])
  await once(killed, 'close')
  mkdirSync(join(folder, `.installing-${killed.pid}-abc/node_modules`), { recursive: true })
  expect(await installedVersion()).toBe('1.0.0')
  expect(readdirSync(folder).sort()).toEqual(files)
})

test('error: without a registry the message says what to do, and nothing is left', async () => {
  await registry.stop()
  const error = await installPackages(folder, { say }).catch((caught) => caught)
  expect(error.message).toMatch(
    /^The packages of .*tool were not installed: npm ci ended with 1\. .* repeat the command\./,
  )
  expect(error.message).toContain('ECONNREFUSED')
  expect(readdirSync(folder).sort()).toEqual(files.slice(1))
})

test('behavior: several callers link a package to one place at once, where another one may be', async () => {
  await installPackages(folder, { say })
  const modules = join(directory, 'node_modules')
  const link = () => linkPackage(folder, packageName, modules)
  const linked = () => realpathSync(join(modules, packageName))
  const target = realpathSync(join(folder, 'node_modules', packageName))
  await Promise.all([link(), link(), link()])
  expect(linked()).toBe(target)
  rmSync(modules, { recursive: true })
  mkdirSync(join(modules, packageName), { recursive: true })
  await link()
  expect(linked()).toBe(target)
})
