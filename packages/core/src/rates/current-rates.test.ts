import fc from 'fast-check'
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
const status = { status: 'open', reason: 'The pool is not paused.' } as const
const facts: ChainRateFacts = { chainId: 324, fixed, floating: floatingOf(day - 1), status }
const rate = (chains: readonly ChainRateFacts[], nowSeconds = noon) =>
  rateResponseSchema.parse(currentRates(chains, { nowSeconds, message: 'Rates.' }))

test('default: fixed, floating and market rates of the example in the design', () => {
  expect(rate([facts])).toEqual({
    message: 'Rates.',
    chainid: '324',
    fixedRate: '369',
    floatingRate: '1264',
    marketRate: '1633',
    isProtocolSynced: true,
    chains: [
      {
        chainid: '324',
        status: 'open',
        statusReason: 'The pool is not paused.',
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

  test.each([
    [1, 'The floating income of 2026-11-14 (UTC) has not been set. The last one is of 2026-11-13.'],
    [2, 'The floating income of 2 days (UTC), since 2026-11-13, has not been set. The last one is of 2026-11-12.'],
    [9, 'The floating income of 9 days (UTC), since 2026-11-06, has not been set. The last one is of 2026-11-05.'],
  ])('behavior: of %i missing days it says how many and since when', (days, reason) => {
    expect(rate([{ ...facts, floating: floatingOf(day - 1 - days) }]).chains[0]?.syncReason).toBe(reason)
  })

  test('behavior: one unsynced chain makes the protocol unsynced', () => {
    const { isProtocolSynced, chains } = rate([facts, { ...facts, chainId: 10, floating: floatingOf(day - 3) }])
    expect([isProtocolSynced, chains.map((chain) => chain.isProtocolSynced)]).toEqual([false, [true, false]])
  })

  test('behavior: a chain that cannot be read does not make the others unsynced', () => {
    const unreadable = { ...facts, chainId: 10, floating: { problem: 'It did not answer in time.' } }
    expect([rate([facts, unreadable]), rate([unreadable])].map(({ isProtocolSynced }) => isProtocolSynced)).toEqual([
      true,
      false,
    ])
  })

  test('behavior: the reason says that the index is incomplete', () => {
    const [chain] = rate([{ ...facts, floating: { ...floatingOf(day - 1), hasErrors: true } }]).chains
    expect(chain).toMatchObject({ isProtocolSynced: true, floatingRate: '1264' })
    expect(chain?.syncReason).toMatch(/ The index of this chain is incomplete and is being repaired\.$/)
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
    const { chains, ...top } = rate([{ ...facts, floating: { problem: 'It did not answer in time.' } }])
    expect(top).toMatchObject({ fixedRate: '369', floatingRate: null, marketRate: '369', isProtocolSynced: false })
    expect(chains[0]).toMatchObject({
      floatingRate: null,
      floatingDay: null,
      dataBlock: null,
      dataLagSeconds: null,
      syncReason: 'The floating income cannot be read: It did not answer in time.',
    })
  })

  test('behavior: a block without a time, and one ahead of the clock', () => {
    const lagOf = (timestamp: number | undefined) =>
      rate([{ ...facts, floating: { ...floatingOf(day - 1), block: { number: 1, timestamp } } }]).chains[0]
        ?.dataLagSeconds
    expect([lagOf(undefined), lagOf(Number(noon) + 5)]).toEqual([null, 0])
  })
})

describe('top level', () => {
  const noted = (chainId: number, { coupon, income }: { readonly coupon?: bigint; readonly income?: bigint }) => ({
    chainId,
    status,
    fixed: coupon === undefined ? [] : [{ tenorDays: 7, maturityTimestamp: 1n, coupon }],
    floating: income === undefined ? { problem: 'It did not answer.' } : floatingOf(day - 1, income),
  })
  const topOf = (...chains: readonly ChainRateFacts[]) => {
    const { chainid, fixedRate, floatingRate, marketRate } = rate(chains)
    return { chainid, fixedRate, floatingRate, marketRate }
  }
  const income1264 = 40_654_777_192_457_711n

  test('default: all rates are of the chain with the highest market rate', () => {
    const top = topOf(noted(10, { coupon: 900n, income: 0n }), noted(324, { coupon: 369n, income: income1264 }))
    expect(top).toEqual({ chainid: '324', fixedRate: '369', floatingRate: '1264', marketRate: '1633' })
  })

  test('behavior: of equal market rates the lowest chain id is taken, and an unknown floating rate counts 0', () => {
    const [high, low] = [noted(324, { coupon: 900n }), noted(10, { coupon: 900n, income: 0n })]
    expect(topOf(high, low)).toEqual({ chainid: '10', fixedRate: '900', floatingRate: '0', marketRate: '900' })
    expect(topOf(high)).toEqual({ chainid: '324', fixedRate: '900', floatingRate: null, marketRate: '900' })
  })

  test('behavior: a chain with stale income is taken only if no other has a rate', () => {
    const staleSince = (days: number, coupon?: bigint) => ({
      ...noted(10, coupon === undefined ? {} : { coupon }),
      floating: floatingOf(day - 1 - days, income1264),
    })
    const fresh = noted(324, { coupon: 369n, income: 0n })
    expect(topOf(staleSince(1, 369n), fresh).chainid).toBe('10')
    expect(topOf(staleSince(2, 369n), fresh).chainid).toBe('324')
    expect(topOf(staleSince(2, 369n), noted(324, { coupon: 300n })).chainid).toBe('324')
    expect(topOf(staleSince(2, 369n), noted(324, { income: 0n })).chainid).toBe('10')
    expect(topOf(staleSince(2), noted(324, { income: 0n })).chainid).toBe('324')
    expect(topOf(staleSince(9, 369n))).toMatchObject({ chainid: '10', floatingRate: '1264', marketRate: '1633' })
  })

  test('behavior: a chain without notes is not taken while another has some', () => {
    const top = topOf(noted(10, { income: income1264 }), noted(324, { coupon: 1n }))
    expect(top).toEqual({ chainid: '324', fixedRate: '1', floatingRate: null, marketRate: '1' })
  })

  test('behavior: without notes the chain with the highest floating rate is taken, without anything none', () => {
    const none = { fixedRate: null, marketRate: null }
    const chains = [noted(1, {}), noted(10, { income: 0n }), noted(324, { income: income1264 })] as const
    expect(topOf(...chains)).toEqual({ ...none, chainid: '324', floatingRate: '1264' })
    expect(topOf(noted(1, {}))).toEqual({ ...none, chainid: null, floatingRate: null })
    expect(topOf()).toEqual({ ...none, chainid: null, floatingRate: null })
  })

  test('behavior: fixed and floating rate always add up to the market rate, which no chain exceeds', () => {
    const anyChain = fc.record({
      coupon: fc.option(fc.bigInt({ min: 0n, max: 2_000n }), { nil: undefined }),
      income: fc.option(fc.bigInt({ min: 0n, max: 10n ** 17n }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(anyChain, { maxLength: 4 }), (chains) => {
        const { chains: rates, ...top } = rate(chains.map((chain, index) => noted(index + 1, chain as object)))
        const highest = rates.flatMap(({ marketRates }) => marketRates.map((of) => BigInt(of.rate)))
        const sum = top.fixedRate === null ? null : BigInt(top.fixedRate) + BigInt(top.floatingRate ?? 0)
        expect(top.marketRate).toBe(sum?.toString() ?? null)
        expect(highest.every((of) => sum !== null && of <= sum)).toBe(true)
        const named = rates.find(({ chainid }) => chainid === top.chainid)
        expect(named?.floatingRate ?? null).toBe(top.floatingRate)
      }),
    )
  })
})

test('behavior: uint256 max is supported', () => {
  const max = 2n ** 256n - 1n
  const huge = rate([
    { ...facts, fixed: [{ tenorDays: 7, maturityTimestamp: 1n, coupon: max }], floating: floatingOf(1, 0n) },
  ])
  expect(huge.fixedRate).toBe(max.toString())
})
