import { chainsResponseSchema, errorBodySchema } from '@tallystick/core'
import { findFreePort } from '@tallystick/workbench/free-port'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { startFailingServer } from './failing-servers.ts'
import { type FakeSubgraph, startFakeSubgraph } from './fake-subgraph.ts'
import { createDeferrals, newDatabase, pool, signerAddress, start, type TestService } from './harness.ts'

const { defer, finish } = createDeferrals()
const positions = '0x0000000000000000000000000000000000000abc'
const other = '0x5cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb'
let fake: FakeSubgraph
let service: TestService

beforeAll(async () => {
  const indexed = { paused: false, signer: other, minLendLimit: '5', maxCouponLimit: '300', minMaturityLimit: '86400' }
  fake = await startFakeSubgraph({ answer: () => ({ pool: indexed, pools: [indexed] }) }, defer)
  const silent = await startFailingServer('silence after the request', defer)
  const refusing = `http://127.0.0.1:${await findFreePort()}/v2/a-key-of-the-operator`
  const subgraph = { urls: [`${fake.url}/a-key-of-the-operator`] }
  const chains = [
    { id: 324, name: 'by index', pool: pool.toLowerCase(), subgraph, tenors: [30, 7], explorer: 'https://example.com' },
    { id: 10, name: 'without anything', pool },
    { id: 2, name: 'with a dead RPC', pool, rpc: [refusing], subgraph: { embedded: { positions } } },
    { id: 1, name: 'with a silent RPC', pool, rpc: [silent.url] },
  ]
  const config = { chains, rails: { preflight: 'off' } }
  service = await start({ databaseUrl: await newDatabase('postgres', defer), config }, defer)
  return finish
})

const unknown = { registeredSigner: null, positionToken: null, dollar: null, denylister: null }
const noLimits = { minLend: null, maxCoupon: null, minMaturitySeconds: null }

async function readChains() {
  const answer = await service.call('/chains')
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  return chainsResponseSchema.parse(answer.json())
}

describe('without a chain that answers', () => {
  test('default: lists all chains in ascending order, with null for values that are not known', async () => {
    const { message, chains } = await readChains()
    expect([message, chains.map(({ chainid }) => chainid)]).toEqual(['4 chains.', ['1', '2', '10', '324']])
    const domain = { name: 'NoteSignatureVerifier', version: '1', chainId: 10, verifyingContract: pool }
    expect(chains[2]).toEqual({
      ...{ chainid: '10', name: 'without anything', pool, domain, signer: signerAddress, ...unknown },
      ...{ tenors: [7, 14, 30], limits: noLimits, explorerUrl: null, subgraphUrl: null, hasData: false },
    })
  })

  test('behavior: an index gives the registered signer and the limits, and its URL is not shown', async () => {
    const byIndex = async () => (await readChains()).chains[3]
    await expect.poll(byIndex).toMatchObject({ registeredSigner: getAddress(other) })
    expect(await byIndex()).toMatchObject({
      ...{ pool, tenors: [7, 30], explorerUrl: 'https://example.com', subgraphUrl: null, hasData: true },
      limits: { minLend: '5', maxCoupon: '300', minMaturitySeconds: '86400' },
    })
    expect((await service.call('/chains')).body).not.toContain('a-key')
    expect(service.log()).not.toContain('a-key')
  })

  test('behavior: with an embedded subgraph the position token and the path of the subgraph are known', async () => {
    expect((await readChains()).chains[1]).toMatchObject({
      positionToken: { address: getAddress(positions), name: null, symbol: null, domain: null },
      ...{ dollar: null, subgraphUrl: '/subgraphs/2', hasData: true },
    })
  })
})

describe('requests', () => {
  test('behavior: needs no key, may be cached, and other origins may read it', async () => {
    const { headers } = await service.call('/chains', { headers: { 'x-api-key': 'x' } })
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=30', 'access-control-allow-origin': '*' })
    expect(headers['ratelimit-policy']).toMatch(/^"default";q=\d+;w=60$/)
  })

  test('behavior: responds 304 to a matching ETag', async () => {
    const { headers } = await service.call('/chains')
    const again = await service.call('/chains', { headers: { 'if-none-match': `W/${headers['etag']}` } })
    expect([again.status, again.body, again.headers['etag']]).toEqual([304, '', headers['etag']])
    expect((await service.call('/chains', { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
  })

  test.each(['/chains?chainid=324', '/chains?', '/chains?%00', '/chains?__proto__=1', '/chains?a[]=1'])(
    'error: %s is rejected unless it has no parameter',
    async (path) => {
      const answer = await service.call(path)
      if (path === '/chains?') expect(answer.status).toBe(200)
      else {
        expect([answer.status, errorBodySchema.parse(answer.json()).code]).toEqual([400, 'invalid_parameter'])
        expect(answer.json().message).toMatch(/^Unknown query parameter ".*"\. This path accepts none\.$/)
      }
    },
  )

  test('error: other methods are rejected, and paths below are not found', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await service.call('/chains', { method })
      expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, 'GET, HEAD'])
    }
    expect((await service.call('/chains', { method: 'HEAD' })).body).toBe('')
    expect((await service.call('/chains/324')).json().message).toContain('/events, /chains, /subgraphs/:chainid')
  })

  test('error: is limited by address, with the other public paths', async () => {
    const listen = { host: '127.0.0.1', port: 0, tls: { cert: 'cert.pem', key: 'key.pem' }, publicRpm: 2 }
    const limited = await start({ databaseUrl: await newDatabase(), config: { listen } })
    const statuses = []
    for (const path of ['/chains', '/docs', '/chains']) statuses.push((await limited.call(path)).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})
