// @module-tag postgres

import { errorBodySchema } from '@tallystick/core'
import { type PostgresServer, startPostgres } from '@tallystick/workbench/postgres'
import type { Answer } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { chain324, createDeferrals, createKey, pool, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
let server: PostgresServer
let service: TestService
let headers: Readonly<Record<string, string>>

beforeAll(async () => {
  server = await startPostgres()
  defer(server.stop)
  await server.createDatabase('away')
  // Nothing listens there: its index is empty.
  const embedded = {
    id: 10,
    name: 'chain',
    pool,
    rpc: ['http://127.0.0.1:9'],
    subgraph: { embedded: { positions: pool } },
  }
  const config = { chains: [chain324, embedded] }
  service = await start({ databaseUrl: `${server.url('away')}?connect_timeout=8`, config }, defer)
  headers = { 'x-api-key': (await createKey(service)).secret, 'content-type': 'application/json' }
  return finish
})

const json = { 'content-type': 'application/json' }
const query = JSON.stringify({ query: '{ pools { id } }', variables: { chains: [10] } })
/** Every route that needs the database for its answer. */
const admin: readonly { readonly method: string; readonly path: string; readonly body?: string }[] = [
  { method: 'GET', path: '/keys' },
  { method: 'POST', path: '/keys', body: '{"name":"new"}' },
  { method: 'POST', path: '/keys/key_000000000000/revoke' },
  { method: 'POST', path: '/keys/key_000000000000/rotate' },
  { method: 'GET', path: '/curve' },
  { method: 'POST', path: '/curve', body: '{"points":{"7":369,"14":365,"30":362},"by":"test"}' },
  { method: 'GET', path: '/notes' },
]

function expectNotReady(answer: Answer): void {
  expect([answer.status, answer.body]).toEqual([503, expect.stringContaining('"not_ready"')])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  const { message, details } = errorBodySchema.parse(answer.json())
  expect([message, details]).toEqual([
    'The service cannot reach its database. Notes and keys in memory are still served. Try again later.',
    undefined,
  ])
}

describe('while the database is stopped', () => {
  beforeAll(async () => {
    await server.halt('SIGQUIT')
    return async () => {
      await server.resume()
      await vi.waitFor(async () => expect((await service.admin('/keys')).status).toBe(200), waitOptions)
    }
  })

  test.each(admin)('error: the admin listener answers $method $path with 503', async ({ path, ...request }) => {
    expectNotReady(await service.admin(path, request.body ? { ...request, headers: json } : request))
  })

  test('error: /history/notes is 503', async () => {
    expectNotReady(await service.call('/history/notes', { headers }))
  })

  test('behavior: notes and rates are answered from memory, the rest by a gateway error', async () => {
    expect((await service.call('/notes?chainid=324', { headers })).status).toBe(200)
    expect((await service.call('/rate', { headers })).status).toBe(200)
    const data = await service.call('/data', { method: 'POST', headers, body: query })
    expect([502, 503, 504]).toContain(data.status)
    expect(data.body).not.toMatch(/127\.0\.0\.1|ECONN|PostgreSQL/)
    const subgraph = await service.call('/subgraphs/10', { method: 'POST', headers: json, body: query })
    expect([subgraph.status, subgraph.json().code]).toEqual([503, 'not_ready'])
    expect(subgraph.body).not.toMatch(/127\.0\.0\.1|ECONN|PostgreSQL/)
    const ready = await service.admin('/readyz')
    expect([ready.status, ready.json().degraded]).toEqual([200, true])
    expect(ready.json().reasons).toContainEqual(expect.stringMatching(/^PostgreSQL .*: no response for \d+ s$/))
  })

  test('behavior: the log has the cause, once in a while', () => {
    const lines = service
      .log()
      .split('\n')
      .filter((line) => line.includes('database unavailable'))
    // One of each listener, however many requests failed.
    expect(lines).toHaveLength(2)
    // The first request may be the one that loses its connection.
    expect(lines[0]).toMatch(/cannot be used \((ECONN\w+|57P\w+|Connection terminated[^)]*)\)/)
  })
})

test('error: a request that gets no connection of the pool is 503', { tags: 'slow' }, async () => {
  const client = new pg.Client({ connectionString: server.url('away') })
  await client.connect()
  const release = () => client.end()
  onTestFinished(release)
  await client.query('begin; lock table api_keys in access exclusive mode')
  const waiting = Array.from({ length: 24 }, () => service.admin('/keys'))
  // Those that have a connection wait for the table, the others for a connection.
  expectNotReady(await Promise.race(waiting))
  await release()
  const answers = await Promise.all(waiting)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  answers.filter(({ status }) => status === 503).forEach(expectNotReady)
})
