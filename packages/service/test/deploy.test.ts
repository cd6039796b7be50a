import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { lint, linters } from '../../../deploy/linters.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../../deploy/${path}`, import.meta.url))

for (const linter of linters.filter(({ isQuick }) => isQuick)) {
  test(`behavior: ${linter.program} has no finding in ${linter.name}`, (context) => {
    const { isMissing, problem } = lint(linter)
    if (isMissing) context.skip(`${linter.program} is not installed`)
    expect(problem).toBeUndefined()
  })
}

test.for(['tallystick', 'tallystick-monitor'])(
  'behavior: the exposure of %s.service that systemd computes is at most 2.5',
  (unit, context) => {
    const argv = ['security', '--offline=true', pathOf(`systemd/${unit}.service`)]
    const { stdout, error } = spawnSync('systemd-analyze', argv, { encoding: 'utf8' })
    const [, level] = /Overall exposure level .*?: (\d+\.\d+)/.exec(stdout ?? '') ?? []
    if (level === undefined) {
      context.skip(`systemd-analyze is missing or cannot check a file: ${error?.message ?? 'no exposure level'}`)
    }
    expect(Number(level)).toBeLessThanOrEqual(2.5)
  },
)

describe('the probe of the image', () => {
  const run = promisify(execFile)
  let url = ''
  beforeAll(async () => {
    const server = await startLocalServer(({ url, headers }, response) => {
      const isKnown = url === '/livez' || headers.authorization === 'Bearer secret'
      response.writeHead(isKnown ? 200 : 401).end()
    })
    url = server.url
    return server.stop
  })
  const probe = (path: string, env: object) =>
    run(process.execPath, [pathOf('docker/probe.mjs'), path], { env: { PROBE_URL: url, ...env } })

  test('default: succeeds if the listener responds', async () => {
    await expect(probe('/livez', {})).resolves.toMatchObject({ stderr: '' })
  })

  test('error: fails with the status, or without a listener', async () => {
    const closed = { PROBE_URL: 'http://127.0.0.1:1' }
    const results = await Promise.allSettled([probe('/readyz', {}), probe('/livez', closed)])
    expect(results.map((result) => (result as PromiseRejectedResult).reason.stderr)).toEqual([
      '/readyz: status 401\n',
      expect.stringContaining('ECONNREFUSED'),
    ])
  })
})
