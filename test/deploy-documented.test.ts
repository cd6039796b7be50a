import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readQueries } from '../deploy/linters.ts'
import { monitorMetricHelp } from '../packages/monitor/src/monitor-metrics.ts'
import { loadConfig } from '../packages/service/src/config/config.ts'
import { metricHelp } from '../packages/service/src/metric-help.ts'
import { isInNodeRange } from './node-range.ts'

type HealthCheck = Readonly<Record<'interval' | 'timeout' | 'start_period', string>> & {
  readonly test: readonly string[]
  readonly retries: number
}
type Compose = {
  readonly 'x-service': { readonly secrets: readonly string[]; readonly healthcheck: HealthCheck }
  readonly secrets: object
}
type Pod = {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly { readonly image: string }[]
}

// The YAML parser of the OpenAPI tools. It has no types.
const { load } = createRequire(import.meta.url)('js-yaml') as { readonly load: (text: string) => unknown }
const pathOf = (path: string) => fileURLToPath(new URL(`../deploy/${path}`, import.meta.url))
const read = (path: string) => readFileSync(pathOf(path), 'utf8')
const dockerfile = read('docker/Dockerfile')

describe.each(['compose', 'kubernetes'])('default: the configuration in %s', (folder) => {
  const config = loadConfig(pathOf(`${folder}/tallystick.json`), {
    env: { DATABASE_URL: 'postgres://tallystick:x@postgres/tallystick' },
    secrets: 'optional',
  })

  test('loads, and lets the proxy end TLS', () => {
    expect(config.listen).toMatchObject({ port: 8080, proxy: { trust: [expect.any(String)] } })
  })

  test('keeps the journals in the only directory that is writable', () => {
    expect([config.signer.journal, config.log?.journal]).toEqual([
      '/var/lib/tallystick/signer-journal.jsonl',
      '/var/lib/tallystick/log-journal.jsonl',
    ])
  })

  test('gives Prometheus a token that reads metrics only', () => {
    expect(config.admin).toMatchObject({ host: '0.0.0.0', tokens: [{ name: 'prometheus', roles: ['metrics'] }] })
  })
})

test('behavior: a replica gets all secrets that its configuration names', () => {
  const { 'x-service': service, secrets } = load(read('compose/compose.yml')) as Compose
  const named = [...read('compose/tallystick.json').matchAll(/\/run\/secrets\/([\w.-]+)/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(service.secrets.toSorted())
  expect(Object.keys(secrets)).toEqual(expect.arrayContaining(named))
})

test('behavior: every image of compose.yml has a version, and those of the Dockerfile are pinned by their hash', () => {
  const images = [...read('compose/compose.yml').matchAll(/^ +image: (\S+)/gm)].map(([, image]) => image as string)
  expect(images.length).toBeGreaterThan(5)
  for (const image of images) expect(image).toMatch(/:v?\d+\.\d+\.?\d*(-bookworm)?$/)
  const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+) AS /gm)].map(([, image]) => image as string)
  expect(bases).toHaveLength(3)
  for (const base of bases) expect(base).toMatch(/^\S+:(\d+\.\d+\.\d+-bookworm-slim|nonroot)@sha256:[0-9a-f]{64}$/)
  // One Node builds and runs.
  expect(new Set(bases).size).toBe(2)
})

test('behavior: compose.yml has the health check of the Dockerfile, which an image in the OCI format does not have', () => {
  const { 'x-service': service } = load(read('compose/compose.yml')) as Compose
  const { test: command, interval, timeout, start_period, retries } = service.healthcheck
  const options = `--interval=${interval} --timeout=${timeout} --start-period=${start_period} --retries=${retries}`
  expect(dockerfile.replaceAll(/\\\n\s+/g, '')).toContain(
    `HEALTHCHECK ${options} CMD ${JSON.stringify(command.slice(1)).replaceAll(',', ', ')}`,
  )
})

test('behavior: the image runs as a user without rights, on a version of Node that is supported', () => {
  expect(dockerfile).toMatch(/^USER 65532:65532$/m)
  const [, version = ''] = /^FROM node:([\d.]+)-/m.exec(dockerfile) ?? []
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(isInNodeRange(version, engines.node)).toBe(true)
  expect(readFileSync(new URL('../docs/operating/installing.md', import.meta.url), 'utf8')).toContain(
    `| Node ${Number.parseInt(version, 10)}, npm |`,
  )
})

test('behavior: SIGKILL comes later than the service’s own time limit of a stop', () => {
  const { spec } = load(read('kubernetes/stateful-set.yaml')) as { spec: { template: { spec: Pod } } }
  const { listen } = JSON.parse(read('kubernetes/tallystick.json'))
  expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(listen.lameDuckSeconds + 20)
  expect(Number(/stop_grace_period: (\d+)s/.exec(read('compose/compose.yml'))?.[1])).toBeGreaterThan(25)
})

test('behavior: the proxies accept the largest body of the API', () => {
  expect(read('nginx/nginx.conf')).toContain('client_max_body_size 64k;')
  expect(read('caddy/Caddyfile')).toContain('max_size 64KB')
})

test('behavior: every metric of the dashboards exists', () => {
  const known = { ...metricHelp, ...monitorMetricHelp }
  const names = readQueries().flatMap((query) => query.match(/\b(?:tallystick|process|nodejs)_\w+/g) ?? [])
  const families = [...new Set(names.map((name) => name.replace(/_bucket$/, '')))]
  expect(families.length).toBeGreaterThan(40)
  expect(families.filter((name) => !Object.hasOwn(known, name))).toEqual([])
})
