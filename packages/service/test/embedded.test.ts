// @module-tag server

import type { Finding } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { namespaceOf } from '@tallystick/gateway'
import { openSubgraph, schemaIdOf } from '@tallystick/subgraph'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import { beforeAll, describe, expect, test } from 'vitest'
import { chain324, createKey, newDatabase, pool, start, type TestService } from './harness.ts'

const subgraph = { embedded: { positions: '0x0000000000000000000000000000000000000abc', startBlock: 0 } }
const withRpc = (...rpc: string[]) => ({ chains: [{ ...chain324, rpc, subgraph }] })

let rpcUrl: string
let otherRpcUrl: string
beforeAll(async () => {
  const [node, other] = await Promise.all([startDevChain({ chainId: 324 }), startDevChain({ chainId: 1 })])
  rpcUrl = node.url
  otherRpcUrl = other.url
  return () => Promise.all([node.stop(), other.stop()])
})

const ask = (service: TestService, query: string) =>
  service.call('/subgraphs/324', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
const subgraphCheck = async (service: TestService) =>
  (await service.admin('/readyz')).json().findings.find(({ subject }: Finding) => subject.startsWith('subgraph'))

describe('on postgres', () => testEngine('postgres'))
// PGlite takes longer to start.
describe('on pglite', { tags: 'slow' }, () => testEngine('pglite'))

function testEngine(engine: DatabaseEngine): void {
  test('default: follows its chain, answers without a key and reports its status', async () => {
    const service = await start({ databaseUrl: await newDatabase(engine), config: withRpc(rpcUrl) })
    const query = '{ _meta { block { number hash } hasIndexingErrors } positionInfos { id } }'
    await expect
      .poll(async () => (await ask(service, query)).json())
      .toMatchObject({ data: { _meta: { block: { number: 0 }, hasIndexingErrors: false }, positionInfos: [] } })
    expect((await ask(service, query)).headers['x-tallystick-chains']).toMatch(/^324;block=0;lag=\d+;source=embedded$/)
    await expect
      .poll(() => subgraphCheck(service))
      .toMatchObject({ severity: 'ok', message: 'following, at block 0, 0 behind' })
    const metrics = (await service.admin('/metrics')).body
    expect(metrics).toContain('tallystick_subgraph_head_block{chain="324"} 0')
    expect(metrics).toContain('tallystick_subgraph_problem{chain="324"} 0')
  })
}

test('behavior: the index of a release with another schema is left as it is, and the chain is indexed again', async () => {
  const databaseUrl = await newDatabase()
  const database = await openDatabase(databaseUrl)
  const schema = 'type Pool @entity { id: Bytes! }'
  const old = `chain_324_${pool.slice(2, 10).toLowerCase()}`
  const namespaces = [old, `${old}_${schemaIdOf(schema)}`]
  for (const namespace of namespaces) await openSubgraph({ database, schema, namespace })
  const service = await start({ databaseUrl, config: withRpc(rpcUrl) })
  await expect.poll(async () => (await ask(service, '{ pools { signer } }')).json()).toEqual({ data: { pools: [] } })
  const found = await database.query<{ name: string }>(
    "select nspname as name from pg_namespace where nspname like 'chain\\_%'",
  )
  expect(found.map(({ name }) => name).toSorted()).toEqual(
    [...namespaces, namespaceOf({ id: 324, domain: { verifyingContract: pool } })].toSorted(),
  )
  await database.close()
})

test('error: /readyz, metrics and log report an RPC of another chain; notes are served, nothing is indexed', async () => {
  const service = await start({ databaseUrl: await newDatabase(), config: withRpc(otherRpcUrl) })
  await expect.poll(() => subgraphCheck(service)).toMatchObject({ severity: 'warn' })
  const { message } = await subgraphCheck(service)
  expect(message).toMatch(/chain 1\b/)
  expect(message).toMatch(/324/)
  expect((await service.admin('/metrics')).body).toContain('tallystick_subgraph_problem{chain="324"} 1')
  expect(service.log()).toMatch(/chain 1\b/)
  expect((await service.admin('/readyz')).status).toBe(200)
  const { secret } = await createKey(service)
  expect((await service.call('/notes', { headers: { 'x-api-key': secret } })).status).toBe(200)
  expect((await ask(service, '{ positionInfos { id } }')).json().errors).toHaveLength(1)
})

test('error: reports an RPC that is down, and uses it once it is up', async () => {
  const dead = 'http://127.0.0.1:1'
  const service = await start({ databaseUrl: await newDatabase(), config: withRpc(dead, rpcUrl) })
  await expect
    .poll(async () => (await ask(service, '{ _meta { block { number } } }')).json())
    .toEqual({ data: { _meta: { block: { number: 0 } } } })
  expect(service.log()).toContain('127.0.0.1:1')
})
