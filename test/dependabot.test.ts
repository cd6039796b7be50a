import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isInNodeRange } from './node-range.ts'

type Update = {
  readonly 'package-ecosystem': string
  readonly directory?: string
  readonly directories?: readonly string[]
  readonly cooldown?: object
  readonly ignore?: readonly { readonly 'dependency-name': string; readonly versions?: readonly string[] }[]
}
type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string }>> }

const root = fileURLToPath(new URL('..', import.meta.url))
// It has no types.
const { load } = createRequire(import.meta.url)('js-yaml') as { readonly load: (text: string) => unknown }
const { updates } = load(read('.github/dependabot.yml')) as { readonly updates: readonly Update[] }
const files = listFiles('')

/** Returns the files of the repository, without what is installed, built or hidden. */
function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    const isOurs = entry.name === '.github' || !/^(\.|node_modules$|dist$|build$|coverage$)/.test(entry.name)
    return isOurs || path === 'test/coverage' ? listFiles(path) : []
  })
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Returns the directories of the files with a name, in the form of Dependabot. */
function directoriesOf(name: RegExp): string[] {
  const found = files.filter((path) => name.test(basename(path))).map((path) => join('/', dirname(path)))
  return [...new Set(found)].sort()
}

function updatedBy(ecosystem: string): string[] {
  return updates
    .filter((update) => update['package-ecosystem'] === ecosystem)
    .flatMap(({ directory, directories = [] }) => (directory === undefined ? directories : [directory]))
    .toSorted()
}

const lockDirectories = directoriesOf(/^package-lock\.json$/)

test('default: every lock file, Dockerfile and compose file is updated', () => {
  expect(lockDirectories).toEqual(expect.arrayContaining(['/', '/packages/graph/graph-cli']))
  expect(updatedBy('npm')).toEqual(lockDirectories)
  expect(updatedBy('docker')).toEqual(directoriesOf(/^Dockerfile$|\.Dockerfile$/))
  expect(updatedBy('docker-compose')).toEqual(directoriesOf(/^(docker-)?compose.*\.ya?ml$/))
})

test('default: every workflow is updated', () => {
  expect(directoriesOf(/^(ci|nightly|release)\.yml$/)).toEqual(['/.github/workflows'])
  // An action of the repository itself would need its own directory. For workflows, the root stands for their folder.
  expect(directoriesOf(/^action\.ya?ml$/)).toEqual([])
  expect(updatedBy('github-actions')).toEqual(['/'])
})

test('behavior: a new version has a week to be withdrawn', () => {
  expect(updates.map(({ cooldown }) => cooldown)).toEqual(
    updates.map(() => expect.objectContaining({ 'default-days': 7 })),
  )
})

test('behavior: the npm packages that are held back are installed, and not in a version that is ignored', () => {
  const locks = lockDirectories.map((directory) => JSON.parse(read(join(directory, 'package-lock.json'))) as Lock)
  const held = updates.flatMap((update) => (update['package-ecosystem'] === 'npm' ? (update.ignore ?? []) : []))
  const wrong = held.filter(({ 'dependency-name': name, versions = [] }) => {
    // The root's lock comes first. The other locks may have another version for a package of their own.
    const version = locks.map(({ packages }) => packages[`node_modules/${name}`]?.version).find(Boolean)
    return version === undefined || versions.some((range) => isInNodeRange(version, range))
  })
  expect(held.length).toBeGreaterThan(5)
  expect(wrong).toEqual([])
})

test('behavior: npm writes no registry into a lock file, whoever updates it', () => {
  const settings = lockDirectories.map((directory) => read(join(directory, '.npmrc')))
  expect(settings).toEqual(lockDirectories.map(() => expect.stringMatching(/^omit-lockfile-registry-resolved=true$/m)))
})

test('behavior: the coverage provider has the version of Vitest', () => {
  const provider = JSON.parse(read('test/coverage/v8/package.json')).dependencies['@vitest/coverage-v8']
  expect(provider).toBe(JSON.parse(read('package.json')).devDependencies.vitest)
})
