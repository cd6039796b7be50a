import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock, createOperator, openServiceDatabase, parseConfig, startService } from '@tallystick/api'
import { poolAbi } from '@tallystick/contracts'
import { annualisedFloatingRate, type RateResponse, rateResponseSchema } from '@tallystick/core'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { beforeAll, expect, inject, test, vi } from 'vitest'
import { type Chain, noteSigner, startChain, startsAt } from './chain.ts'
import { postJson } from './post-json.ts'
import { type Call, mineBlock } from './subgraph/mine-block.ts'

const secondsPerDay = 86_400n
const firstDay = startsAt / secondsPerDay
const coupons = { 7: 369, 30: 362 }
const forwarded = { 'x-forwarded-proto': 'https' }
const income = 40_654_777_192_457_711n

let chain: Chain
let service: { readonly baseUrl: string; readonly apiKey: string; readonly setTime: (seconds: bigint) => void }

beforeAll(async () => {
  chain = await startChain()
  const source = await createTestDatabase('postgres', inject('databases'))
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-rate-'))
  const { stop, ...started } = await startOn(chain, { databaseUrl: source.url, directory })
  service = started
  return async () => {
    await stop()
    await chain.stop()
    await source.remove()
    rmSync(directory, { recursive: true })
  }
})

/** The service with an embedded subgraph of the chain, its clock held. */
async function startOn(
  { client, pool, positions }: Chain,
  { databaseUrl, directory }: { readonly databaseUrl: string; readonly directory: string },
) {
  const rpc = [client.transport.url as string]
  const settings = {
    listen: { host: '127.0.0.1', port: 0, lameDuckSeconds: 0, proxy: { trust: ['127.0.0.1'] } },
    admin: { port: 0, token: 'env:TOKEN' },
    database: databaseUrl,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    tenors: [7, 30],
    // The chain is read for each request.
    data: { pollMs: 0 },
    chains: [{ id: 324, name: 'devnet', pool, rpc, subgraph: { embedded: { positions, startBlock: 0 } } }],
  }
  const env = { TOKEN: 'token', SIGNER_KEY: `0x${'01'.repeat(32)}` }
  const config = parseConfig(settings, { path: 'test', env, secrets: 'required', baseDirectory: directory })
  const clock = createClock()
  clock.hold(Number(startsAt) * 1000)
  const database = await openServiceDatabase(databaseUrl, () => undefined)
  const operator = createOperator({ database, config, clock })
  await operator.setCurve({ points: coupons, by: 'test' })
  const { secret } = await operator.createKey({ name: 'test', rpm: null })
  await database.close()
  const { baseUrl, stop } = await startService({
    config,
    clock,
    log: pino({ level: 'silent' }),
    say: () => undefined,
    followMs: 50,
    databaseShiftMs: () => clock.now() - Date.now(),
  })
  return { baseUrl, apiKey: secret, setTime: (seconds: bigint) => clock.hold(Number(seconds) * 1000), stop }
}

const byAdmin = (functionName: string, ...args: unknown[]): Call => ({
  from: chain.admin.address,
  to: chain.pool,
  functionName,
  args,
})

/** Lets a second come, on the chain and for the service alike, with these calls in its block; then asks for the rates. */
async function rateAt(at: bigint, calls: readonly Call[] = []): Promise<RateResponse> {
  await mineBlock(chain, { at, calls })
  service.setTime(at)
  const { number } = await chain.client.getBlock()
  await vi.waitFor(
    async () => {
      const body = { query: '{ _meta { block { number } } }' }
      const { json } = await postJson(`${service.baseUrl}/subgraphs/324`, { headers: forwarded, body })
      expect(BigInt(json.data._meta.block.number)).toBe(number)
    },
    { timeout: 30_000 },
  )
  const headers = { ...forwarded, 'x-api-key': service.apiKey }
  const answer = await fetch(`${service.baseUrl}/rate`, { headers })
  expect(answer.status).toBe(200)
  const rate = rateResponseSchema.parse(await answer.json())
  expect(rate.isProtocolSynced).toBe(await read('isFloatingIncomeSynced'))
  expect(rate.chains[0]).toMatchObject({ dataBlock: String(number), dataLagSeconds: 0 })
  return rate
}

const read = (functionName: 'isFloatingIncomeSynced' | 'lastFloatingIncomeUpdateDay') =>
  chain.client.readContract({ address: chain.pool, abi: poolAbi, functionName })

/** The floating incomes and the pool's settings as `/data` has them are those of the contracts. */
async function expectStateOfContracts(): Promise<void> {
  const query = '{ floatingIncomes { day floatingIncome accFloatingIncome } pools { signer denylister } }'
  const headers = { ...forwarded, 'x-api-key': service.apiKey }
  const body = { query, variables: { chains: [324] } }
  const [{ data }] = (await postJson(`${service.baseUrl}/data`, { headers, body })).json
  const readSum = (day: number) => {
    const call = { address: chain.pool, abi: poolAbi, functionName: 'accFloatingIncome' } as const
    return chain.client.readContract({ ...call, args: [BigInt(day)] })
  }
  for (const { day, floatingIncome, accFloatingIncome } of data.floatingIncomes) {
    const [before, sum] = [await readSum(day - 1), await readSum(day)]
    expect([day, accFloatingIncome, floatingIncome]).toEqual([day, String(sum), String(sum - before)])
  }
  const [signer, denylister] = [noteSigner.address, chain.denylister].map((address) => address.toLowerCase())
  expect(data.pools).toEqual([{ signer, denylister }])
}

test('default: rates and sync are those of the contract, through midnights, missed and late updates and a pause', {
  timeout: 120_000,
}, async () => {
  // Nothing was ever set.
  const empty = await rateAt(startsAt + 60n)
  expect(empty).toMatchObject({ fixedRate: '369', floatingRate: null, marketRate: '369', isProtocolSynced: false })
  expect(empty.chains[0]?.syncReason).toBe('No floating income has been set.')

  // The income of yesterday comes in.
  const synced = await rateAt(startsAt + 120n, [byAdmin('updateDailyFloatingIncome', income)])
  expect(synced).toMatchObject({ fixedRate: '369', floatingRate: '1264', marketRate: '1633', isProtocolSynced: true })
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
  await expectStateOfContracts()

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
  const backfilled = [byAdmin('updatePreviousFloatingIncome', firstDay + 1n, 2n, [income / 10n, income])]
  const caughtUp = await rateAt(missed + 60n, backfilled)
  expect(caughtUp).toMatchObject({ isProtocolSynced: true, floatingRate: '1264' })
  expect(BigInt(caughtUp.chains[0]?.floatingDay ?? 0)).toBe(await read('lastFloatingIncomeUpdateDay'))
  await expectStateOfContracts()

  // The day before the last is restated: the last keeps its sum, so that more of it is its own.
  const restated = await rateAt(missed + 90n, [byAdmin('updatePreviousFloatingIncome', firstDay + 1n, 1n, [0n])])
  const rate = String(annualisedFloatingRate(income + income / 10n))
  expect(restated).toMatchObject({ isProtocolSynced: true, floatingRate: rate })
  await expectStateOfContracts()

  // The follower has the denylister's events too.
  const listed = '0x00000000000000000000000000000000000abcde'
  const list = { from: chain.admin.address, to: chain.denylister, functionName: 'addToDenylist', args: [listed] }
  await rateAt(missed + 100n, [list])
  const headers = { ...forwarded, 'x-api-key': service.apiKey }
  const body = { query: '{ accounts(where: { denylisted: true }) { id } }', variables: { chains: [324] } }
  const { json } = await postJson(`${service.baseUrl}/data`, { headers, body })
  expect(json).toEqual([{ chain: 324, data: { accounts: [{ id: listed }] } }])

  // A pause is the pool's word, read over the RPC.
  expect((await rateAt(missed + 120n, [byAdmin('pause')])).chains[0]?.status).toBe('paused')
  expect((await rateAt(missed + 180n, [byAdmin('unpause')])).chains[0]?.status).toBe('open')
})
