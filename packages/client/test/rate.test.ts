import { expect, test } from 'vitest'
import { createClient } from '../src/create-client.ts'
import { decodeRate } from '../src/rate/fetch-rate.ts'
import { apiKey, rateBody, startFakeApi } from './fake-api.ts'

const decoded = {
  message: 'Current rates.',
  chainId: 324,
  fixedRate: 369n,
  floatingRate: 1264n,
  marketRate: 1633n,
  isProtocolSynced: true,
  chains: [
    {
      chainId: 324,
      status: 'open',
      statusReason: 'The pool is not paused.',
      fixedRates: [{ maturity: 7, maturityTimestamp: 1795237200n, coupon: 369n }],
      floatingRate: 1264n,
      floatingDay: 20771,
      marketRates: [{ maturity: 7, rate: 1633n }],
      isProtocolSynced: true,
      syncReason: 'The floating income of yesterday is known.',
      nextSyncExpectedAt: 1794700800n,
      dataBlock: 123n,
      dataLagSeconds: 4,
    },
  ],
}

test('default: decodes every member', async () => {
  const api = await startFakeApi()
  try {
    const client = createClient({ baseUrl: api.baseUrl, apiKey })
    expect(await client.rate({ chainId: 324 })).toEqual(decoded)
    expect(api.requests[0]?.path).toBe('/rate?chainid=324')
  } finally {
    await api.stop()
  }
})

test('behavior: missing floating data is null, not an error', () => {
  const unknown = { floatingRate: null, floatingDay: null, dataBlock: null, dataLagSeconds: null }
  const chains = rateBody.chains.map((chain) => ({ ...chain, ...unknown }))
  const rate = decodeRate({ ...rateBody, floatingRate: null, isProtocolSynced: false, chains })
  expect(rate).toMatchObject({ floatingRate: null, isProtocolSynced: false, chains: [unknown] })
})

test('behavior: a service that does not name the chain of the rates is tolerated', () => {
  expect(decodeRate({ ...rateBody, chainid: undefined }).chainId).toBeNull()
  expect(decodeRate({ ...rateBody, chainid: null }).chainId).toBeNull()
})

test('behavior: a status that only a later service has is kept', () => {
  const [chain] = decodeRate({ ...rateBody, chains: [{ ...rateBody.chains[0], status: 'closed' }] }).chains
  expect(chain?.status).toBe('closed')
})

test.each([
  ['a chain as a number', { chainid: 324 }],
  ['a number for a rate', { fixedRate: 369 }],
  ['a fraction', { marketRate: '16.33' }],
  ['a status that is no text', { chains: [{ ...rateBody.chains[0], status: 1 }] }],
  ['no chains', { chains: undefined }],
  ['a coupon that is none', { chains: [{ ...rateBody.chains[0], fixedRates: [{ maturity: 7 }] }] }],
])('error: %s is rejected', (_, change) => {
  expect(() => decodeRate({ ...rateBody, ...change })).toThrow('does not match this client version: GET /rate')
})
