import { type ChainInfo, chainsResponseSchema } from '@tallystick/core'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decodeChains, type ServiceChain } from '../src/chains/fetch-chains.ts'
import { createClient } from '../src/create-client.ts'
import { failureOf } from './failure-of.ts'
import { apiKey, chainsBody, type FakeApi, noteSigner, pool, startFakeApi } from './fake-api.ts'
import type { ChainData } from './fake-subgraph.ts'

const wallet = `0x${'11'.repeat(20)}` as const
const empty: ChainData = { positions: [], floatingIncomes: [], accounts: {} }
const withoutData = { code: 'no_data', message: 'The chain has no subgraph.' }

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
  api.mishaps.length = 0
  api.chains.clear()
  api.chains.set(324, empty).set(8453, withoutData).set(10, empty)
})
const client = (chains?: readonly number[]) => createClient({ baseUrl: api.baseUrl, apiKey, retries: 0, chains })
const paths = () => api.requests.map(({ method, path }) => `${method} ${path}`)
const askedChains = () => api.requests.flatMap(({ body }) => (body ? [JSON.parse(body).variables.chains] : []))

const dollar = `0x${'0e'.repeat(20)}`
const position = `0x${'0f'.repeat(20)}`
const decoded = {
  chainId: 324,
  name: 'chain 324',
  pool,
  domain: { name: 'NoteSignatureVerifier', version: '1', chainId: 324, verifyingContract: pool },
  signer: noteSigner.address,
  registeredSigner: noteSigner.address,
  positionToken: {
    address: position,
    name: 'Position',
    symbol: 'Position',
    domain: { name: 'Position', version: '1', chainId: 324, verifyingContract: position },
  },
  dollar: {
    address: dollar,
    name: 'Dollar',
    symbol: 'Dollar',
    decimals: 18,
    domain: { name: 'Dollar', version: '1', chainId: 324, verifyingContract: dollar },
  },
  denylister: `0x${'0d'.repeat(20)}`,
  tenors: [7, 14, 30],
  limits: { minLend: 1000n * 10n ** 18n, maxCoupon: 1000n, minMaturitySeconds: 172800n },
  explorerUrl: 'https://explorer.example',
  hasData: true,
}

describe('chains', () => {
  test('default: decodes every member, without a key', async () => {
    const chains = await createClient({ baseUrl: `${api.baseUrl}/` }).chains()
    expect(chains[0]).toEqual({ ...decoded, subgraphUrl: `${api.baseUrl}/subgraphs/324` })
    expect(chains.map(({ chainId, hasData, subgraphUrl }) => [chainId, hasData, subgraphUrl !== null])).toEqual([
      [324, true, true],
      [8453, false, false],
      [10, true, true],
    ])
    expect(paths()).toEqual(['GET /chains'])
  })

  test('behavior: a value that the service does not know is null', () => {
    const [chain] = chainsBody(api).chains
    const unknown = { registeredSigner: null, positionToken: null, dollar: null, denylister: null, explorerUrl: null }
    const limits = { minLend: null, maxCoupon: null, minMaturitySeconds: null }
    expect(decodeChains({ chains: [{ ...chain, ...unknown, limits }] }, { baseUrl: '' })[0]).toMatchObject({
      ...unknown,
      limits,
    })
    const dollar = { ...chain?.dollar, name: null, symbol: null, decimals: null, domain: null }
    const [decodedChain] = decodeChains({ chains: [{ ...chain, dollar }] }, { baseUrl: '/tallystick' })
    expect(decodedChain).toMatchObject({ dollar, subgraphUrl: '/tallystick/subgraphs/324' })
  })

  test('behavior: decodes every body that the service’s schema accepts, without a loss', () => {
    fc.assert(
      fc.property(fc.array(chainInfo, { maxLength: 2 }), (chains) => {
        const body = { message: '', chains }
        expect(chainsResponseSchema.parse(body)).toEqual(body)
        expect(decodeChains(body, { baseUrl: '' }).map(encode)).toEqual(chains)
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['no chain id', { chainid: 324 }],
    ['a pool that is no address', { pool: '0x12' }],
    ['a domain without a version', { domain: { name: 'NoteSignatureVerifier' } }],
    ['a signer that is null', { signer: null }],
    ['a limit as a number', { limits: { minLend: 1000, maxCoupon: null, minMaturitySeconds: null } }],
    ['no limits', { limits: undefined }],
    ['a tenor of 0 days', { tenors: [0] }],
    ['a link that runs code', { explorerUrl: 'javascript:alert(1)' }],
    ['an absolute subgraph URL', { subgraphUrl: 'https://elsewhere.example' }],
    ['no word on data', { hasData: undefined }],
  ])('error: %s is rejected', (_, change) => {
    const [chain] = chainsBody(api).chains
    expect(() => decodeChains({ chains: [{ ...chain, ...change }] }, { baseUrl: '' })).toThrow(
      'does not match this client version: GET /chains',
    )
  })
})

describe('default chains of data, positions, earnings and floatingIncomes', () => {
  test('default: the service’s chains with data, fetched once', async () => {
    const { data, positions, earnings, floatingIncomes } = client()
    await data({ query: '{ positionInfos { tokenId } }' })
    await positions(wallet)
    await earnings(wallet)
    const results = await floatingIncomes()
    expect(results.map(({ chain }) => chain)).toEqual([324, 10])
    expect(paths()).toEqual(['GET /chains', 'POST /data', 'POST /data', 'POST /data', 'POST /data'])
    expect(askedChains()).toEqual(Array.from({ length: 4 }, () => [324, 10]))
  })

  test('behavior: the chains of the client and of the call win, and nothing is fetched', async () => {
    const one = client([10])
    await one.positions(wallet)
    await one.positions(wallet, { chains: [324] })
    expect(askedChains()).toEqual([[10], [324]])
    expect(paths()).toEqual(['POST /data', 'POST /data'])
  })

  test('behavior: concurrent first calls share one request', async () => {
    const one = client()
    await Promise.all([one.positions(wallet), one.earnings(wallet), one.floatingIncomes()])
    expect(paths().filter((path) => path === 'GET /chains')).toHaveLength(1)
    expect(askedChains()).toHaveLength(3)
  })

  test('behavior: a failed fetch is not remembered', async () => {
    const one = client()
    api.mishaps.push({ status: 503, code: 'not_ready' })
    expect(await failureOf(one.positions(wallet))).toMatchObject({ code: 'not_ready' })
    expect(await one.positions(wallet)).toHaveLength(2)
    expect(paths()).toEqual(['GET /chains', 'GET /chains', 'POST /data'])
  })

  test('behavior: an abort ends the call that waits, not the request that others share', async () => {
    const one = client()
    const controller = new AbortController()
    const aborted = one.positions(wallet, { signal: controller.signal })
    const other = one.positions(wallet)
    controller.abort('enough')
    await expect(aborted).rejects.toBe('enough')
    await expect(one.positions(wallet, { signal: controller.signal })).rejects.toBe('enough')
    expect(await other).toHaveLength(2)
    expect(paths()).toEqual(['GET /chains', 'POST /data'])
  })

  test('error: a service without data says so', async () => {
    api.chains.clear()
    api.chains.set(8453, withoutData)
    expect(await failureOf(client().positions(wallet))).toMatchObject({
      name: 'InvalidRequestError',
      code: 'invalid_chains',
      message: 'No chain of the service has data. Ask the operator to configure a subgraph.',
    })
  })
})

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const address = fc.stringMatching(/^0x[0-9a-fA-F]{40}$/)
const integer = fc.stringMatching(/^(0|[1-9]\d{0,77})$/)
const text = fc.string({ minLength: 1, maxLength: 64 })
const chainNumber = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const domain = fc.record({ name: text, version: text, chainId: chainNumber, verifyingContract: address })
const token = { address, name: orNull(text), symbol: orNull(text), domain: orNull(domain) }
const chainInfo: fc.Arbitrary<ChainInfo> = fc.record({
  chainid: chainNumber.map(String),
  name: text,
  pool: address,
  domain,
  signer: address,
  registeredSigner: orNull(address),
  positionToken: orNull(fc.record(token)),
  dollar: orNull(fc.record({ ...token, decimals: orNull(fc.integer({ min: 0, max: 77 })) })),
  denylister: orNull(address),
  tenors: fc.array(fc.integer({ min: 1, max: 3_600 })),
  limits: fc.record({
    minLend: orNull(integer),
    maxCoupon: orNull(fc.nat().map(String)),
    minMaturitySeconds: orNull(integer),
  }),
  explorerUrl: orNull(fc.webUrl()),
  subgraphUrl: orNull(fc.nat().map((chainId) => `/subgraphs/${chainId}`)),
  hasData: fc.boolean(),
})

/** Encodes a chain as the service sends it. */
function encode({ chainId, limits, ...chain }: ServiceChain): unknown {
  const texts = Object.entries(limits).map(([name, limit]) => [name, limit?.toString() ?? null])
  return { ...chain, chainid: chainId.toString(), limits: Object.fromEntries(texts) }
}
