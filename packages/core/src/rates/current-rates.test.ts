import { describe, expect, test } from 'vitest'
import { rateResponseSchema } from '../wire/rate-response.ts'
import { type ChainRateFacts, currentRates, type FixedRate } from './current-rates.ts'

const day = 20_772
const midnight = BigInt(day) * 86_400n
const noon = midnight + 43_200n
const fixed: readonly FixedRate[] = [
  { tenorDays: 7, maturityTimestamp: 1_795_323_600n, coupon: 369n },
  { tenorDays: 14, maturityTimestamp: 1_795_928_400n, coupon: 365n },
]
const block = { number: 123, timestamp: Number(noon) - 4 }
const floatingOf = (of: number, floatingIncome = 40_654_777_192_457_711n) => ({
  last: { day: of, floatingIncome },
  block,
})
const facts: ChainRateFacts = { chainId: 324, fixed, floating: floatingOf(day - 1) }
const rate = (chains: readonly ChainRateFacts[], nowSeconds = noon) =>
  rateResponseSchema.parse(currentRates(chains, { nowSeconds, message: 'Rates.' }))

test('default: fixed, floating and market rates of the example in the design', () => {
  expect(rate([facts])).toEqual({
    message: 'Rates.',
    fixedRate: '369',
    floatingRate: '1264',
    marketRate: '1633',
    isProtocolSynced: true,
    chains: [
      {
        chainid: '324',
        status: 'unknown',
        statusReason: 'No RPC of this chain reports whether the pool is paused.',
        fixedRates: [
          { maturity: 7, maturity_timestamp: '1795323600', coupon: '369' },
          { maturity: 14, maturity_timestamp: '1795928400', coupon: '365' },
        ],
        floatingRate: '1264',
        floatingDay: day - 1,
        marketRates: [
          { maturity: 7, rate: '1633' },
          { maturity: 14, rate: '1629' },
        ],
        isProtocolSynced: true,
        syncReason: 'The floating income of 2026-11-14 (UTC) has been set.',
        nextSyncExpectedAt: String(midnight + 86_400n),
        dataBlock: '123',
        dataLagSeconds: 4,
      },
    ],
  })
})

describe('sync', () => {
  test('behavior: the last second of a UTC day is synced, the first of the next is not, until the update', () => {
    const before = rate([facts], midnight + 86_399n)
    expect([before.isProtocolSynced, before.chains[0]?.nextSyncExpectedAt]).toEqual([true, String(midnight + 86_400n)])
    const after = rate([facts], midnight + 86_400n)
    expect([after.isProtocolSynced, after.chains[0]?.nextSyncExpectedAt]).toEqual([false, String(midnight + 86_400n)])
    expect(after.chains[0]?.syncReason).toBe(
      'The floating income of 2026-11-15 (UTC) has not been set. The last one is of 2026-11-14.',
    )
    const updated = rate([{ ...facts, floating: floatingOf(day) }], midnight + 86_400n)
    expect(updated.isProtocolSynced).toBe(true)
  })

  test('behavior: the pool’s day overrides the index, and the reason mentions an index that lags', () => {
    const pool = { isPaused: false, lastFloatingDay: day - 1 }
    const behind = rate([{ ...facts, floating: floatingOf(day - 2), pool }]).chains[0]
    expect([behind?.isProtocolSynced, behind?.floatingDay]).toEqual([true, day - 2])
    expect(behind?.syncReason).toContain('The index does not have it yet')
    const missed = rate([{ ...facts, pool: { ...pool, lastFloatingDay: day - 2 } }])
    expect(missed.isProtocolSynced).toBe(false)
  })

  test('behavior: one unsynced chain makes the protocol unsynced', () => {
    const { isProtocolSynced, chains } = rate([facts, { ...facts, chainId: 10, floating: floatingOf(day - 3) }])
    expect([isProtocolSynced, chains.map((chain) => chain.isProtocolSynced)]).toEqual([false, [true, false]])
  })

  test('behavior: no income has been set', () => {
    const { chains, floatingRate, marketRate } = rate([{ ...facts, floating: { last: undefined, block } }])
    expect(chains[0]).toMatchObject({
      floatingRate: null,
      floatingDay: null,
      isProtocolSynced: false,
      dataBlock: '123',
    })
    expect(chains[0]?.syncReason).toBe('No floating income has been set.')
    expect([floatingRate, marketRate]).toEqual([null, '369'])
  })
})

describe('missing data', () => {
  test('behavior: without floating data the fixed rates remain and the chain is not synced', () => {
    const pool = { isPaused: true, lastFloatingDay: day - 1 }
    const { chains, ...top } = rate([{ ...facts, floating: { problem: 'It did not answer in time.' }, pool }])
    expect(top).toMatchObject({ fixedRate: '369', floatingRate: null, marketRate: '369', isProtocolSynced: false })
    expect(chains[0]).toMatchObject({
      status: 'paused',
      statusReason: 'The pool is paused.',
      floatingRate: null,
      floatingDay: null,
      dataBlock: null,
      dataLagSeconds: null,
      syncReason: 'The floating income cannot be read: It did not answer in time.',
    })
  })

  test('behavior: without notes there is no fixed and no market rate', () => {
    expect(rate([{ ...facts, fixed: [] }])).toMatchObject({ fixedRate: null, floatingRate: '1264', marketRate: null })
  })

  test('behavior: a block without a time, and one ahead of the clock', () => {
    const lagOf = (timestamp: number | undefined) =>
      rate([{ ...facts, floating: { ...floatingOf(day - 1), block: { number: 1, timestamp } } }]).chains[0]
        ?.dataLagSeconds
    expect([lagOf(undefined), lagOf(Number(noon) + 5)]).toEqual([null, 0])
  })
})

test('behavior: each rate is the highest of all chains', () => {
  const other: ChainRateFacts = {
    chainId: 10,
    fixed: [{ tenorDays: 7, maturityTimestamp: 1n, coupon: 900n }],
    floating: floatingOf(day - 1, 0n),
  }
  expect(rate([facts, other])).toMatchObject({ fixedRate: '900', floatingRate: '1264', marketRate: '1633' })
})

test('behavior: uint256 max is supported', () => {
  const max = 2n ** 256n - 1n
  const huge = rate([
    { ...facts, fixed: [{ tenorDays: 7, maturityTimestamp: 1n, coupon: max }], floating: floatingOf(1, 0n) },
  ])
  expect(huge.fixedRate).toBe(max.toString())
})
