import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from '@tallystick/base'
import { findDateProblem, openTls } from '@tallystick/http'
import { createCertificateAuthority, type PemPair } from '@tallystick/workbench/certificate-authority'
import { waitOptions } from '@tallystick/workbench/wait-options'
import pino from 'pino'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { atMost, createTestTime } from '../../base/test/test-time.ts'
import { metricHelp } from '../src/metric-help.ts'
import { createDeferrals, createKey, newDatabase, prepare, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
let service: TestService

beforeAll(async () => {
  service = await start(
    { databaseUrl: await newDatabase('postgres', defer), time: { waits: { 'TLS files': atMost(50) } } },
    defer,
  )
  return finish
})

async function read(): Promise<ReadonlyMap<string, number>> {
  const { body } = await service.admin('/metrics')
  const lines = body.split('\n').filter((line) => line && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/ (\S+)$/.exec(line)?.[1])]))
}

async function usesOf(id: string): Promise<readonly (number | undefined)[]> {
  const metrics = await read()
  return ['notes', 'data', 'rate'].map((endpoint) =>
    metrics.get(`tallystick_key_requests_total{key="${id}",endpoint="${endpoint}"}`),
  )
}

test('default: the requests of a key are counted by endpoint, on the fast path too, until it is revoked', async () => {
  const { id, secret } = await createKey(service, { rpm: 5 })
  const notesOnly = await createKey(service, { scopes: ['notes'] })
  expect(await usesOf(id)).toEqual([0, 0, 0])
  const headers = { 'x-api-key': secret }
  // The fast path, then the framework.
  expect((await service.call('/notes', { headers })).status).toBe(200)
  expect((await service.call('/notes?maturity=7', { headers })).status).toBe(200)
  expect((await service.call('/rate', { headers })).status).toBe(200)
  const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }
  expect((await service.call('/data', post)).status).toBe(400)
  expect(await usesOf(id)).toEqual([2, 1, 1])
  // A request beyond the allowance passes both paths and is one request.
  expect((await service.call('/notes', { headers })).status).toBe(200)
  expect((await service.call('/notes', { headers })).status).toBe(429)
  expect(await usesOf(id)).toEqual([4, 1, 1])
  expect((await service.call('/rate', { headers: { 'x-api-key': notesOnly.secret } })).status).toBe(403)
  expect(await usesOf(notesOnly.id)).toEqual([0, 0, 0])

  await service.admin(`/keys/${id}/rotate`, { method: 'POST' })
  expect(await usesOf(id)).toEqual([4, 1, 1])
  await service.admin(`/keys/${id}/revoke`, { method: 'POST' })
  expect(await usesOf(id)).toEqual([undefined, undefined, undefined])
})

test('behavior: the expiry metric follows the certificate in use', async () => {
  const name = 'tallystick_certificate_not_after_timestamp_seconds'
  const first = (await read()).get(name) as number
  expect(first).toBeGreaterThan(Date.now() / 1000)
  const earlier = new Date(Date.now() - 10 * 86_400_000)
  const next = createCertificateAuthority(earlier).issue(['127.0.0.1'])
  writeFileSync(join(service.directory, 'cert.pem'), next.cert)
  // A pair that does not fit is not in use.
  await vi.waitFor(() => expect(service.log()).toContain('do not match'), waitOptions)
  expect((await read()).get(name)).toBe(first)
  writeFileSync(join(service.directory, 'key.pem'), next.key)
  await vi.waitFor(
    async () => expect(Math.abs(first - 10 * 86_400 - Number((await read()).get(name)))).toBeLessThan(3_600),
    waitOptions,
  )
})

test('behavior: an expired certificate, or one that is not valid yet, does not replace a valid one', async () => {
  const names = ['tallystick_certificate_not_after_timestamp_seconds', 'tallystick_certificate_rejected'] as const
  const readBoth = async () => {
    const values = await read()
    return names.map((name) => values.get(name))
  }
  const write = ({ cert, key }: PemPair) => {
    writeFileSync(join(service.directory, 'cert.pem'), cert)
    writeFileSync(join(service.directory, 'key.pem'), key)
  }
  await vi.waitFor(async () => expect((await readBoth())[1]).toBe(0), waitOptions)
  const [notAfter] = await readBoth()
  for (const [days, reason] of [
    [-900, 'it expired'],
    [10, 'it is not valid before'],
  ] as const) {
    write(createCertificateAuthority(new Date(Date.now() + days * 86_400_000)).issue(['127.0.0.1']))
    await vi.waitFor(() => expect(service.log()).toContain(reason), waitOptions)
    await vi.waitFor(async () => expect(await readBoth()).toEqual([notAfter, 1]), waitOptions)
  }
  write(createCertificateAuthority(new Date(Date.now() - 20 * 86_400_000)).issue(['127.0.0.1']))
  await vi.waitFor(async () => expect((await readBoth())[1]).toBe(0), waitOptions)
  expect((await readBoth())[0]).not.toBe(notAfter)
})

test('behavior: a certificate is valid in the seconds of its dates', () => {
  const { cert } = createCertificateAuthority().issue(['localhost'])
  const { validFrom, validTo } = new X509Certificate(cert)
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  const problems = [from - 1, from, to, to + 1].map((nowMs) => findDateProblem(Buffer.from(cert), nowMs))
  expect(problems).toEqual([`it is not valid before ${validFrom}`, undefined, undefined, `it expired ${validTo}`])
})

test('behavior: a service starts with an expired certificate, with a warning, and takes any other', async () => {
  const expired = createCertificateAuthority(new Date(Date.now() - 900 * 86_400_000)).issue(['127.0.0.1'])
  const prepared = await prepare({ databaseUrl: 'file:unused' })
  const files = { cert: join(prepared.directory, 'cert.pem'), key: join(prepared.directory, 'key.pem') }
  writeFileSync(files.cert, expired.cert)
  writeFileSync(files.key, expired.key)
  const said: string[] = []
  const changes: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => changes.push(line) })
  const metrics = createMetrics(metricHelp)
  const time = createTestTime({ waits: { 'TLS files': atMost(20) } })
  const context = { metrics, time, log, nextRequestId: () => 'id' }
  const tls = openTls(files, { ...context, say: (line) => said.push(line) })
  onTestFinished(tls.stopWatching)
  expect(said).toEqual([expect.stringContaining('WARNING: clients reject the certificate')])
  const other = createCertificateAuthority(new Date(Date.now() - 850 * 86_400_000)).issue(['127.0.0.1'])
  writeFileSync(files.cert, other.cert)
  writeFileSync(files.key, other.key)
  await vi.waitFor(() => expect(changes.join('')).toContain('TLS certificate changed'), waitOptions)
})

test('default: the process and its main thread are measured', async () => {
  // Not at the first attempt: Node measures from its first sample after a scrape on.
  await vi.waitFor(async () => {
    const untilMs = performance.now() + 300
    while (performance.now() < untilMs);
    const delay = (await read()).get('tallystick_event_loop_delay_seconds{quantile="1"}') as number
    expect(delay).toBeGreaterThan(0.2)
    expect(delay).toBeLessThan(10)
  }, waitOptions)
  const metrics = await read()
  const { rss, heapUsed } = process.memoryUsage()
  expect(Number(metrics.get('process_resident_memory_bytes')) / rss).toBeCloseTo(1, 0)
  expect(Number(metrics.get('nodejs_heap_size_used_bytes')) / heapUsed).toBeCloseTo(1, 0)
  expect(metrics.get('process_cpu_seconds_total')).toBeGreaterThan(0.1)
  expect(Date.now() / 1000 - Number(metrics.get('process_start_time_seconds'))).toBeGreaterThan(0)
  if (process.platform !== 'linux') return
  expect(metrics.get('process_open_fds')).toBeGreaterThan(5)
  expect(metrics.get('process_max_fds')).toBeGreaterThan(Number(metrics.get('process_open_fds')))
})

test('behavior: only summaries have quantiles, which is the rule of promtool', async () => {
  const { body } = await service.admin('/metrics')
  const families = body.split(/^(?=# HELP )/m)
  const isSummary = (family: string) => /^# TYPE \S+ summary$/m.test(family)
  expect(families.filter(isSummary)).toHaveLength(1)
  expect(families.filter((family) => family.includes('quantile="') !== isSummary(family))).toEqual([])
})
