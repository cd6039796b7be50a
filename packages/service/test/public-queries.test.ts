// @module-tag server

import { createAbort, createMetrics, systemTime } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'
import { createPublicQueries, namespaceOf, publicQueryMetricHelp } from '@tallystick/gateway'
import { openSubgraph, protocolSchema, type Subgraph } from '@tallystick/subgraph'
import type { Answer } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPostData } from './data-client.ts'
import { chain324, createDeferrals, createKey, newDatabase, pool, prepare, start, type TestService } from './harness.ts'

const namespace = namespaceOf({ id: 324, domain: { verifyingContract: pool } })
const json = { 'content-type': 'application/json' }
const one = '{ accounts(first: 1) { id } }'
const accounts = 1_000

/** Creates the index of a chain with accounts. */
async function fill(database: Database): Promise<Subgraph> {
  const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
  const amounts = { activePrincipal: '1', totalPrincipal: '1', totalIncome: '0', totalFees: '0' }
  const changes = Array.from({ length: accounts }, (_, index) => ({
    entity: 'Account',
    id: `0x${index.toString(16).padStart(40, '0')}`,
    set: { activePositions: index, denylisted: false, denylistedBy: [], ...amounts },
  }))
  await subgraph.commit({ number: 7, hash: '0x07', parentHash: '0x06', timestamp: 1_800_000_000 }, changes)
  return subgraph
}

const ask = (service: TestService, query: string): Promise<Answer> =>
  service.call('/subgraphs/324', { method: 'POST', headers: json, body: JSON.stringify({ query }) })

/** Uses everything that an operator and a caller with a key need, and returns the results. */
async function useService(service: TestService): Promise<readonly number[]> {
  const { id, secret } = await createKey(service)
  const notes = await service.call('/notes', { headers: { 'x-api-key': secret } })
  const ready = await service.admin('/readyz')
  const curve = { points: { 7: 370, 14: 366, 30: 363 }, by: 'test' }
  const signed = await service.admin('/curve', { method: 'POST', headers: json, body: JSON.stringify(curve) })
  const revoked = await service.admin(`/keys/${id}/revoke`, { method: 'POST', headers: json, body: '{}' })
  const refused = await service.call('/notes', { headers: { 'x-api-key': secret } })
  return [notes, ready, signed, revoked, refused].map(({ status }) => status)
}
const allWell = [200, 200, 200, 200, 403]

describe('on PostgreSQL', () => {
  let service: TestService
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    const databaseUrl = await newDatabase('postgres', defer)
    const database = await openDatabase(databaseUrl)
    await fill(database)
    await database.close()
    // Nothing listens at its RPC, so the index does not change.
    const chain = { ...chain324, rpc: ['http://127.0.0.1:1'], subgraph: { embedded: { positions: chain324.pool } } }
    const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' }, publicRpm: null }
    service = await start({ databaseUrl, config: { chains: [chain], listen } }, defer)
    return finish
  })

  /** Runs `work` while the accounts are locked. Queries hang until it is done. */
  const whileLocked = (work: () => Promise<void>) =>
    service.database.transaction(async (transaction) => {
      await transaction.query(`lock table "${namespace}"."Account" in access exclusive mode`)
      await work()
    })
  const countHanging = async (): Promise<number> => {
    const [row] = await service.database.query<{ count: bigint }>(
      `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return Number(row?.count)
  }
  const waitForHanging = (count: number) =>
    vi.waitFor(async () => expect(await countHanging()).toBe(count), waitOptions)

  test('behavior: keys, notes, the curve and readiness do not wait while public queries use all their slots', async () => {
    const answers: Promise<Answer>[] = []
    await whileLocked(async () => {
      for (let index = 0; index < 30; index++) answers.push(ask(service, one))
      await waitForHanging(4)
      expect(await useService(service)).toEqual(allWell)
      // Further queries wait in the service, not in the database.
      expect(await countHanging()).toBe(4)
    })
    for (const answer of await Promise.all(answers)) expect(answer.json().data.accounts).toHaveLength(1)
  })

  test('behavior: they do not wait while queries with a key use all their connections', async () => {
    const post = await createPostData(service)
    const answers: Promise<Answer>[] = []
    await whileLocked(async () => {
      for (let index = 1; index <= 30; index++) {
        answers.push(post({ query: `{ accounts(first: ${index}) { id } }`, variables: { chains: [324] } }))
      }
      await waitForHanging(8)
      expect(await useService(service)).toEqual(allWell)
    })
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200)
  })

  test('behavior: a caller that disconnects frees its slot at once', async () => {
    const gone = Array.from({ length: 4 }, () => new AbortController())
    await whileLocked(async () => {
      const left = gone.map(({ signal }) =>
        service.call('/subgraphs/324', { method: 'POST', headers: json, body: JSON.stringify({ query: one }), signal }),
      )
      await waitForHanging(4)
      for (const controller of gone) controller.abort()
      await Promise.allSettled(left)
      await waitForHanging(0)
    })
    expect((await ask(service, one)).status).toBe(200)
  })

  test('behavior: a large answer is complete, one over the limit is rejected', async () => {
    const aliases = (count: number, name = 'a') =>
      Array.from({ length: count }, (_, index) => `${name}${index}: id`).join(' ')
    const large = await ask(service, `{ accounts(first: 1000) { ${aliases(40)} } }`)
    expect(large.json().data.accounts).toHaveLength(accounts)
    expect(large.body.length).toBeGreaterThan(1024 * 1024)
    expect(large.headers['content-length']).toBe(String(large.body.length))
    const larger = await ask(service, `{ accounts(first: 1000) { ${aliases(100, 'x'.repeat(100))} } }`)
    expect(larger.json()).toEqual({
      errors: [{ message: expect.stringMatching(/^The answer has \d+ bytes; the limit/) }],
    })
  })

  test('behavior: the limits apply, and the block is in the header', async () => {
    const roots = Array.from({ length: 1_500 }, (_, index) => `a${index}: accounts { id activePositions }`).join(' ')
    const refused = await ask(service, `{ ${roots} }`)
    expect([refused.status, refused.json().errors[0].message]).toEqual([
      200,
      'The query has more than 2011 tokens. Select less or send several queries.',
    ])
    expect((await ask(service, one)).headers['x-tallystick-chains']).toMatch(/^324;block=7;lag=/)
    expect((await ask(service, '{ nothing }')).json().errors[0].message).toMatch(/^Cannot query field "nothing"/)
  })
})

test('behavior: on the embedded database one public query runs at a time, in its own thread, also after that of the database failed', async () => {
  const { defer, finish } = createDeferrals()
  onTestFinished(finish)
  const databaseUrl = await newDatabase('pglite', defer)
  const database = await openDatabase(databaseUrl)
  defer(() => database.close())
  const subgraph = await fill(database)
  const { config } = await prepare({ databaseUrl })
  const closers: (() => unknown)[] = []
  defer(() => closers.map((close) => close()))
  const { subgraphs, gate } = createPublicQueries(config, {
    database,
    connectionsMax: 4,
    embedded: new Map([[324, { subgraph }]]),
    closers: { push: (_part, close) => void closers.push(close) },
    metrics: createMetrics(publicQueryMetricHelp),
    log: pino({ level: 'silent' }),
    time: systemTime,
  })
  const { signal } = createAbort()
  const askOne = async (): Promise<string> => {
    const answer = await gate.pass(async () => subgraphs.get(324)?.({ query: one }, () => undefined), signal)
    return Buffer.from(answer?.body ?? []).toString()
  }
  const expected = JSON.stringify({ data: { accounts: [{ id: `0x${'0'.repeat(40)}` }] } })
  expect(await askOne()).toBe(expected)

  const asked: Promise<string>[] = []
  await database.transaction(async ({ query }) => {
    for (let count = 0; count < 5; count++) asked.push(askOne())
    await query('select 1')
    expect(gate).toMatchObject({ running: 1, waiting: 4 })
    for (let count = 4; count < 200; count++) asked.push(askOne())
    await expect(askOne()).rejects.toMatchObject({ code: 'not_ready', retryAfterSeconds: 1 })
  })
  expect(await Promise.all(asked)).toEqual(Array(201).fill(expected))

  const port = await database.openPort?.()
  port?.postMessage(null)
  await expect.poll(() => askOne().catch(({ code }) => code)).toBe(expected)
})
