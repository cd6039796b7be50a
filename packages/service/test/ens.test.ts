import { type DevChain, startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { deployResolver, type TestResolver } from './ens-resolver.ts'
import { createDeferrals, newDatabase, pool, start, type TestService } from './harness.ts'

const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** Starts a server that counts its requests, and answers with a status or not at all. */
async function startServer(status: number | undefined) {
  const requests: string[] = []
  const server = await startLocalServer((request, response) => {
    requests.push(request.url ?? '')
    if (status !== undefined) response.writeHead(status).end('{}')
  })
  return { url: server.url, stop: server.stop, requests }
}

describe('with a resolver', () => {
  let chain: DevChain
  let resolver: TestResolver
  let service: TestService
  let gateway: Awaited<ReturnType<typeof startServer>>
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    chain = await startDevChain({ chainId: 1 })
    defer(() => chain.stop())
    resolver = await deployResolver(chain)
    gateway = await startServer(200)
    const failing = await startServer(500)
    for (const { stop } of [gateway, failing]) defer(stop)
    await resolver.set('name.eth', { owner })
    await resolver.set('🦊.name.eth', { owner: pool })
    await resolver.set('faraway.eth', { gateway: `${gateway.url}/{sender}/{data}` })
    // The first RPC fails, so that the second is used.
    const ens = { rpc: [`${failing.url}/secret-path`, chain.url], universalResolver: resolver.address }
    service = await start({ databaseUrl: await newDatabase('postgres', defer), config: { ens } }, defer)
    return finish
  })

  test('default: resolves a name, normalized, and portal.json says so', async () => {
    const answer = await service.call('/ens/Name.ETH')
    expect([answer.status, answer.json()]).toEqual([200, { name: 'name.eth', address: owner }])
    expect(answer.headers['cache-control']).toBe('public, max-age=60')
    expect((await service.call(`/ens/${encodeURIComponent('🦊.name.eth')}`)).json().address).toBe(pool)
    expect((await service.call('/portal.json')).json().ens).toBe(true)
    expect(service.log()).not.toContain('secret-path')
  })

  test('behavior: many requests for one name are one lookup, which is kept for a minute', async () => {
    await resolver.set('once.eth', { owner })
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.call('/ens/once.eth')))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await resolver.set('once.eth', { owner: pool })
    expect((await service.call('/ens/once.eth')).json().address).toBe(owner)
  })

  test('error: a name without an address, and one that is resolved elsewhere, whose URL is never fetched', async () => {
    const missing = await service.call('/ens/missing.eth')
    expect([missing.status, missing.json()]).toMatchObject([404, { code: 'not_found' }])
    expect(missing.json().message).toBe('"missing.eth" has no address in ENS. Check its spelling.')
    const elsewhere = await service.call('/ens/faraway.eth')
    expect([elsewhere.status, elsewhere.json().code]).toEqual([404, 'not_found'])
    expect(elsewhere.json().message).toContain('resolved outside of the chain')
    expect(gateway.requests).toEqual([])
  })

  test('error: hostile names are refused with a reason, and change nothing', async () => {
    const names = [
      'name',
      '.eth',
      'name.',
      'a..eth',
      'a b.eth',
      '<script>.eth',
      '../../etc/passwd.eth',
      'na\0me.eth',
      '\u202Eeman.eth',
      'n\u0430me\u200B.eth',
      'xn--ls8h.e_h',
      'a_b.eth',
      `${'a'.repeat(5_000)}.eth`,
      `${'a.'.repeat(127)}eth.eth`,
      '__proto__.constructor.',
    ]
    for (const name of names) {
      const answer = await service.call(`/ens/${encodeURIComponent(name)}`)
      expect([name, answer.status, answer.json().code]).toEqual([name, 400, 'invalid_parameter'])
      expect(answer.json().message).toContain('is not an ENS name')
    }
    expect((await service.call('/ens/name.eth?chain=1')).status).toBe(400)
    expect((await service.call('/ens/')).json().code).toBe('invalid_parameter')
    expect((await service.call('/ens/%')).status).toBe(400)
  })
})

test('error: RPCs that fail or hang give 502 or 504, without their URLs', async () => {
  const { defer, finish } = createDeferrals()
  const [failing, hanging] = [await startServer(500), await startServer(undefined)]
  for (const { stop } of [failing, hanging]) defer(stop)
  try {
    const databaseUrl = await newDatabase('postgres', defer)
    for (const [{ url }, status, code] of [
      [failing, 502, 'upstream_failed'],
      [hanging, 504, 'upstream_timeout'],
    ] as const) {
      const service = await start({ databaseUrl, config: { ens: { rpc: [`${url}/secret-path`] } } }, defer)
      const answer = await service.call('/ens/name.eth')
      expect([answer.status, answer.json().code]).toEqual([status, code])
      expect(answer.body + service.log()).not.toContain('secret-path')
      await service.stop()
    }
  } finally {
    await finish()
  }
})

test('error: without a resolver names are not found, and portal.json says so', async () => {
  const service = await start({ databaseUrl: await newDatabase() })
  const answer = await service.call('/ens/name.eth')
  expect([answer.status, answer.json().code]).toEqual([404, 'not_found'])
  expect(answer.json().message).toBe('This service does not resolve ENS names. Enter an address.')
  expect((await service.call('/portal.json')).json().ens).toBe(false)
})
