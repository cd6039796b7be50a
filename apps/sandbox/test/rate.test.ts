// @module-tag server

import { poolAbi } from '@tallystick/contracts'
import { annualisedFloatingRate, chainsResponseSchema, type RateResponse, rateResponseSchema } from '@tallystick/core'
import { domainSeparator } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Chain, noteSigner, startChain, startsAt } from './chain.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'
import { poolWaits, startOnChain } from './service-on-chain.ts'
import { type Call, mineBlock } from './subgraph/mine-block.ts'

const secondsPerDay = 86_400n
const firstDay = startsAt / secondsPerDay
const income = 40_654_777_192_457_711n
const waits = poolWaits(1_000)

type Service = Awaited<ReturnType<typeof startOnChain>>

let chain: Chain
let proxy: RpcProxy
/** Three services of one chain: with RPC and embedded subgraph, with RPC alone, and with the first one's subgraph alone. */
let services: { readonly both: Service; readonly byChain: Service; readonly byIndex: Service }
let nowSeconds = startsAt

beforeAll(async () => {
  const undos: (() => unknown)[] = []
  const defer = (undo: () => unknown) => void undos.push(undo)
  chain = await startChain()
  defer(() => chain.stop())
  proxy = await startRpcProxy(chain.client.transport.url as string)
  defer(() => proxy.stop())
  const setting = { preflight: 'off', atSeconds: startsAt, waits, defer } as const
  const embedded = { positions: chain.positions, startBlock: 0 }
  const both = await startOnChain(chain, { ...setting, rpc: [proxy.url], subgraph: { embedded } })
  const remote = { urls: [`${both.baseUrl}/subgraphs/324`], headers: { 'x-forwarded-proto': 'env:SCHEME' } }
  const [byChain, byIndex] = await Promise.all([
    startOnChain(chain, setting),
    startOnChain(chain, { ...setting, rpc: [], subgraph: remote }),
  ])
  services = { both, byChain, byIndex }
  return async () => {
    for (const undo of undos.reverse()) await undo()
  }
})

const byAdmin = (functionName: string, ...args: unknown[]): Call => callOf('pool', functionName, ...args)
const callOf = (contract: 'pool' | 'positions' | 'token', functionName: string, ...args: unknown[]): Call => ({
  from: chain.admin.address,
  to: chain[contract],
  functionName,
  args,
})

/** Lets a second come, on the chain and for the services alike, with these calls in its block, and waits for the indexes. */
async function advanceTo(at: bigint, calls: readonly Call[]): Promise<bigint> {
  nowSeconds = at
  await mineBlock(chain, { at, calls })
  for (const { clock } of Object.values(services)) clock.hold(Number(at) * 1000)
  const { number } = await chain.client.getBlock()
  const dataBlocks = async () => {
    const rates = await Promise.all([services.both, services.byIndex].map(rateOf))
    return rates.map(({ chains }) => chains[0]?.dataBlock)
  }
  await expect.poll(dataBlocks).toEqual([String(number), String(number)])
  return number
}

async function rateOf(service: Service): Promise<RateResponse> {
  const { status, body } = await service.get('/rate')
  expect(status).toBe(200)
  return rateResponseSchema.parse(body)
}

/** Waits for rates of a block: a service answers without an upstream that is too slow. */
async function currentRateOf(service: Service, number: bigint): Promise<RateResponse> {
  let rate: RateResponse | undefined
  const readChain = async () => {
    rate = await rateOf(service)
    return rate.chains[0]
  }
  await expect.poll(readChain).toMatchObject({ dataBlock: String(number), dataLagSeconds: 0 })
  return rate as RateResponse
}

/** Returns the rates of a second, which are those of the contract whether they are read from it or from its index. */
async function rateAt(at: bigint, calls: readonly Call[] = []): Promise<RateResponse> {
  const number = await advanceTo(at, calls)
  const [rate, ...others] = await Promise.all(Object.values(services).map((service) => currentRateOf(service, number)))
  const { isProtocolSynced, floatingRate, chains } = rate as RateResponse
  expect(isProtocolSynced).toBe(await read('isFloatingIncomeSynced'))
  expect(floatingRate).toBe(await rateOfContract())
  const { statusReason: _, ...first } = chains[0]!
  for (const other of others)
    expect(other.chains[0]).toMatchObject({ ...first, fixedRates: expect.any(Array), marketRates: expect.any(Array) })
  await expectStateOfContracts()
  return rate as RateResponse
}

const read = (functionName: 'isFloatingIncomeSynced' | 'lastFloatingIncomeUpdateDay') =>
  chain.client.readContract({ address: chain.pool, abi: poolAbi, functionName })

/** The floating incomes and the pool's settings as the index has them are those of the contracts. */
async function expectStateOfContracts(): Promise<void> {
  const query = '{ floatingIncomes { day floatingIncome accFloatingIncome } pools { signer denylister } }'
  const { data } = (await services.both.get(`/subgraphs/324?query=${encodeURIComponent(query)}`)).body
  for (const { day, floatingIncome, accFloatingIncome } of data.floatingIncomes) {
    const [before, sum] = [await readSum(BigInt(day) - 1n), await readSum(BigInt(day))]
    expect([day, accFloatingIncome, floatingIncome]).toEqual([day, String(sum), String(sum - before)])
  }
  const [signer, denylister] = [noteSigner.address, chain.denylister].map((address) => address.toLowerCase())
  expect(data.pools).toEqual([{ signer, denylister }])
}

const readSum = (day: bigint) =>
  chain.client.readContract({ address: chain.pool, abi: poolAbi, functionName: 'accFloatingIncome', args: [day] })

async function rateOfContract(): Promise<string | null> {
  const day = (await read('lastFloatingIncomeUpdateDay')) as bigint
  if (day === 0n) return null
  return annualisedFloatingRate((await readSum(day)) - (await readSum(day - 1n))).toString()
}

describe('rates', () => {
  test('default: are those of the contract, through midnights and missed, late and restated updates', async () => {
    // Nothing was ever set.
    const empty = await rateAt(startsAt + 60n)
    expect(empty).toMatchObject({ fixedRate: '369', floatingRate: null, marketRate: '369', isProtocolSynced: false })
    expect(empty.chains[0]?.syncReason).toBe('No floating income has been set.')

    // The income of yesterday comes in.
    const synced = await rateAt(startsAt + 120n, [byAdmin('updateDailyFloatingIncome', income)])
    expect(synced).toMatchObject({ chainid: '324', fixedRate: '369', floatingRate: '1264', marketRate: '1633' })
    expect(synced.chains[0]).toMatchObject({
      status: 'open',
      floatingDay: Number(firstDay) - 1,
      fixedRates: [
        { maturity: 7, coupon: '369' },
        { maturity: 30, coupon: '362' },
      ],
      marketRates: [
        { maturity: 7, rate: '1633' },
        { maturity: 30, rate: '1626' },
      ],
      nextSyncExpectedAt: String((firstDay + 1n) * secondsPerDay),
    })

    // The last second of the UTC day, and the first of the next.
    const midnight = (firstDay + 1n) * secondsPerDay
    expect((await rateAt(midnight - 1n)).isProtocolSynced).toBe(true)
    const overdue = await rateAt(midnight)
    expect(overdue).toMatchObject({ isProtocolSynced: false, floatingRate: '1264' })
    expect(overdue.chains[0]).toMatchObject({
      syncReason: 'The floating income of 2026-03-02 (UTC) has not been set. The last one is of 2026-03-01.',
      nextSyncExpectedAt: String(midnight),
    })

    // It comes late, and is another one.
    const late = await rateAt(midnight + 7_200n, [byAdmin('updateDailyFloatingIncome', income / 2n)])
    expect(late).toMatchObject({ isProtocolSynced: true, floatingRate: String(annualisedFloatingRate(income / 2n)) })
    expect(late.chains[0]?.floatingDay).toBe(Number(firstDay))

    // Two days are missed and brought in together.
    const missed = midnight + 2n * secondsPerDay + 60n
    expect((await rateAt(missed)).isProtocolSynced).toBe(false)
    const backfill = byAdmin('updatePreviousFloatingIncome', firstDay + 1n, 2n, [income, income])
    expect(await rateAt(missed + 60n, [backfill])).toMatchObject({ isProtocolSynced: true, floatingRate: '1264' })

    // The day before the last is restated. The sum of the last day stays, so its income becomes another one.
    const restated = byAdmin('updatePreviousFloatingIncome', firstDay + 1n, 1n, [income - 3_985_222_807_542_289n])
    expect(await rateAt(missed + 120n, [restated])).toMatchObject({ floatingRate: '1388', isProtocolSynced: true })
  })
})

test('behavior: the follower has the denylister’s events too', async () => {
  const listed = '0x00000000000000000000000000000000000abcde'
  const list = { from: chain.admin.address, to: chain.denylister, functionName: 'addToDenylist', args: [listed] }
  await advanceTo(nowSeconds + 60n, [list])
  const { body } = await services.both.get('/subgraphs/324?query={accounts(where:{denylisted:true}){id}}')
  expect(body).toEqual({ data: { accounts: [{ id: listed }] } })
})

describe('status', () => {
  const statuses = async () => {
    const entries = await Promise.all(
      Object.entries(services).map(async ([name, service]) => {
        const { status, statusReason } = (await rateOf(service)).chains[0]!
        return [name, [status, statusReason]]
      }),
    )
    return Object.fromEntries(entries)
  }
  const byIndexSays = (text: string) => `No RPC is configured for this chain. Its index says that ${text}.`
  const notPaused = 'neither the pool nor the position token is paused. It does not follow the dollar'

  test.each([
    ['pool', 'pool', 'paused', 'the pool is paused'],
    ['position token', 'positions', 'paused', 'the position token is paused'],
    ['dollar', 'token', 'open', notPaused],
  ] as const)(
    'error: a paused %s is told by the chain, and by its index if it knows',
    async (_, contract, status, text) => {
      await advanceTo(nowSeconds + 60n, [callOf(contract, 'pause')])
      const sentence = { pool: 'The pool', positions: 'The position token', token: 'The dollar' }[contract]
      await expect.poll(statuses).toEqual({
        both: ['paused', `${sentence} is paused.`],
        byChain: ['paused', `${sentence} is paused.`],
        byIndex: [status, byIndexSays(text)],
      })
      await advanceTo(nowSeconds + 60n, [callOf(contract, 'unpause')])
      await expect.poll(statuses).toEqual({
        both: ['open', 'The pool is not paused.'],
        byChain: ['open', 'The pool is not paused.'],
        byIndex: ['open', byIndexSays(notPaused)],
      })
    },
  )
})

describe('GET /chains', () => {
  const chainOf = async (service: Service) => {
    const { status, body } = await service.get('/chains')
    expect(status).toBe(200)
    return chainsResponseSchema.parse(body).chains[0]!
  }
  const limits = { minLend: '1000000000000000000000', maxCoupon: '1000', minMaturitySeconds: '172800' }

  test('default: contracts, domains, limits and the registered signer are those of the chain', async () => {
    const info = await chainOf(services.both)
    const domainOf = (name: string, verifyingContract: string) => {
      return { name, version: '1', chainId: 324, verifyingContract }
    }
    const { positions, token, pool, denylister } = chain
    expect(info).toEqual({
      ...{ chainid: '324', name: 'devnet', pool, domain: domainOf('NoteSignatureVerifier', pool), denylister },
      ...{ signer: noteSigner.address, registeredSigner: noteSigner.address },
      positionToken: {
        ...{ address: positions, name: 'Tallystick Position', symbol: 'tsPOS' },
        domain: domainOf('Tallystick Position', positions),
      },
      dollar: {
        ...{ address: token, name: 'Tallystick Dollar', symbol: 'tsUSD', decimals: 18 },
        domain: domainOf('Tallystick Dollar', token),
      },
      ...{ tenors: [7, 30], limits, explorerUrl: null, subgraphUrl: '/subgraphs/324', hasData: true },
    })
    for (const [address, domain] of [
      [pool, info.domain],
      [positions, info.positionToken?.domain],
      [token, info.dollar?.domain],
    ] as const) {
      const call = { address, abi: poolAbi, functionName: 'DOMAIN_SEPARATOR' } as const
      expect(domainSeparator({ domain: domain as never })).toBe(await chain.client.readContract(call))
    }
  })

  test('behavior: by an RPC alone or an index alone it is the same, except for what they do not know', async () => {
    const whole = await chainOf(services.both)
    expect(await chainOf(services.byChain)).toEqual({ ...whole, subgraphUrl: null, hasData: false })
    const unread = { positionToken: null, dollar: null, denylister: null }
    expect(await chainOf(services.byIndex)).toEqual({ ...whole, ...unread, subgraphUrl: null })
  })

  test('behavior: another signer and other limits are seen with the next check of the pool', async () => {
    const other = chain.wallets[0]!.address
    const changes = [byAdmin('setVerifierSigner', other), byAdmin('setMaxCouponLimit', 300n)]
    await advanceTo(nowSeconds + 60n, [...changes, byAdmin('setMinLendLimit', 5n)])
    const changed = { registeredSigner: other, limits: { ...limits, minLend: '5', maxCoupon: '300' } }
    for (const service of Object.values(services)) {
      await expect.poll(() => chainOf(service)).toMatchObject(changed)
    }
  })
})

test('error: if no RPC answers any more, the index tells rates and status, and /chains keeps what it knew', async () => {
  const { both } = services
  // Two checks must find the other signer.
  await expect.poll(async () => (await rateOf(both)).chains[0]?.status).toBe('rejecting')
  await proxy.stop()
  const says = 'The pool cannot be read. Its index says that neither the pool nor the position token is paused.'
  await expect
    .poll(async () => (await rateOf(both)).chains[0])
    .toMatchObject({ status: 'rejecting', statusReason: expect.stringContaining(says) })
  expect(await rateOf(both)).toMatchObject({ floatingRate: '1388', isProtocolSynced: true })
  expect((await both.get('/chains')).body.chains[0]).toMatchObject({
    ...{ registeredSigner: null, dollar: { symbol: 'tsUSD' }, limits: { maxCoupon: '300' } },
  })
})
