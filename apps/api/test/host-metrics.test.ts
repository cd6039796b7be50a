import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { patience } from '@tallystick/workbench/patience'
import { beforeAll, expect, test, vi } from 'vitest'
import { createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
let service: TestService

beforeAll(async () => {
  service = await start({ databaseUrl: await newDatabase('postgres', defer), certificatePollMs: 50 }, defer)
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

test('default: the requests of a key are counted by endpoint, on the lanes too, until it is revoked', async () => {
  const { id, secret } = await createKey(service, { rpm: 5 })
  const notesOnly = await createKey(service, { scopes: ['notes'] })
  expect(await usesOf(id)).toEqual([0, 0, 0])
  const headers = { 'x-api-key': secret }
  // The fast lane, then the framework.
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
  await vi.waitFor(() => expect(service.log()).toContain('do not match'), patience)
  expect((await read()).get(name)).toBe(first)
  writeFileSync(join(service.directory, 'key.pem'), next.key)
  await vi.waitFor(
    async () => expect(Math.abs(first - 10 * 86_400 - Number((await read()).get(name)))).toBeLessThan(3_600),
    patience,
  )
})

test('default: the process and its main thread are measured', async () => {
  // Not at the first attempt: Node measures from its first sample after a scrape on.
  await vi.waitFor(async () => {
    const untilMs = performance.now() + 300
    while (performance.now() < untilMs);
    const delay = (await read()).get('tallystick_event_loop_delay_seconds{quantile="1"}') as number
    expect(delay).toBeGreaterThan(0.2)
    expect(delay).toBeLessThan(10)
  }, patience)
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
