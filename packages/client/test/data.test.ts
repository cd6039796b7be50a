import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { fixedIncome, floatingIncome } from '@tallystick/core'
import { parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../src/create-client.ts'
import { floatingAccumulator } from '../src/income/floating-accumulator.ts'
import { apiKey, type FakeApi, morning, startFakeApi } from './fake-api.ts'
import type { ChainData, Row } from './fake-subgraph.ts'

const wallet = '0xAbCdEf0000000000000000000000000000000001'
const owner = wallet.toLowerCase()
const empty: ChainData = { positions: [], floatingIncomes: [], accounts: {} }

let api: FakeApi
beforeAll(async () => {
  api = await startFakeApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  api.requests.length = 0
  api.mishaps.length = 0
  api.mishapOf = () => undefined
  api.headers = {}
  api.chains.clear()
  api.chains.set(324, empty)
})
const client = ({ chains = [324] }: { readonly chains?: readonly number[] | undefined } = {}) =>
  createClient({ baseUrl: api.baseUrl, apiKey, retries: 0, chains })

function position(tokenId: number, change: Row = {}): Row {
  return {
    tokenId: tokenId.toString(),
    currentOwner: owner,
    initalOwner: owner,
    initiator: owner,
    coupon: '401',
    principal: '1000000000000000000000',
    lendTimestamp: '1737522000',
    maturityTimestamp: '1739314800',
    partnerFeeBPS: '250',
    partnerId: `0x${'0c'.repeat(32)}`,
    status: 'Active',
    lendTransactionHash: `0x${'0d'.repeat(32)}`,
    ...change,
  }
}
const descending = (count: number) => Array.from({ length: count }, (_, index) => count - index)
const positions = (count: number) => Array.from({ length: count }, (_, index) => position(index + 1))

function incomeDays(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => ({
    day: 20_100 + index,
    floatingIncome: '40654777192457711',
    accFloatingIncome: (40654777192457711n * BigInt(index + 1)).toString(),
    updatedAt: ((20_101 + index) * 86_400).toString(),
  }))
}

describe('data', () => {
  const query = '{ positionInfos(first: 1) { tokenId } }'

  test('default: returns one result per chain, in order, with its block', async () => {
    api.chains.set(1, { ...empty, positions: [position(7)] })
    const results = await client().data({ query, chains: [1, 324] })
    expect(results).toEqual([
      { chain: 1, block: 123, lagSeconds: 4, data: { positionInfos: [{ tokenId: '7' }] } },
      { chain: 324, block: 123, lagSeconds: 4, data: { positionInfos: [] } },
    ])
    expect(JSON.parse(api.requests[0]!.body)).toEqual({ query, variables: { chains: [1, 324] } })
  })

  test.each([
    ['324;block=5;lag=0;source=embedded', { block: 5, lagSeconds: 0, source: 'embedded' }],
    ['324;block=5;source=remote;later=1', { block: 5, source: 'remote' }],
    ['324;block=5;source=embedded;errors=1', { block: 5, source: 'embedded', hasErrors: true }],
    ['324;block=5;lag=0;source=other', { block: 5, lagSeconds: 0 }],
  ])('behavior: reads the source of a result from %s, and ignores what it does not know', async (header, expected) => {
    api.headers = { 'x-tallystick-chains': header }
    expect(await client().data({ query })).toEqual([{ chain: 324, ...expected, data: { positionInfos: [] } }])
  })

  test('behavior: a failed chain does not affect the others', async () => {
    api.chains.set(1, { code: 'upstream_timeout', message: 'The subgraph was late.' })
    const [one, two] = await client().data({ query, chains: [1, 324] })
    expect(one).toMatchObject({ data: null, errors: [{ code: 'upstream_timeout', message: 'The subgraph was late.' }] })
    expect(two).toMatchObject({ data: { positionInfos: [] } })
  })

  test('error: throws if no chain has data', async () => {
    api.chains.set(1, { code: 'upstream_timeout', message: '' })
    await expect(client().data({ query, chains: [1] })).rejects.toMatchObject({ name: 'UpstreamError', status: 504 })
    await expect(client().data({ query: '{ nonsense }' })).rejects.toMatchObject({ name: 'QueryRejectedError' })
  })

  test('behavior: sends the variables, the operation name and the chains', async () => {
    const documents = `query A($id: ID!) { account(id: $id) { id } } query B { positionInfos { tokenId } }`
    const variables = { id: owner, chains: 'mine' }
    const results = await client().data({ query: documents, variables, operationName: 'A' })
    expect(results).toMatchObject([{ data: { account: null } }])
    expect(JSON.parse(api.requests[0]!.body).variables).toEqual({ id: owner, chains: [324] })
  })

  test('behavior: sends a typed document as text', async () => {
    type Result = { readonly account: { readonly id: string } | null }
    const document = parse('query A($id: ID!) { account(id: $id) { id } }', { noLocation: true })
    const typed = document as TypedDocumentNode<Result, { id: string }>
    api.chains.set(324, { ...empty, accounts: { [owner]: { id: owner } } })
    const [result] = await client().data({ query: typed, variables: { id: owner } })
    expect(result?.data?.account?.id).toBe(owner)
  })

  test.each([
    ['no list', {}],
    ['a chain that was not asked', [{ chain: 1, data: {} }]],
    [
      'a chain too many',
      [
        { chain: 324, data: {} },
        { chain: 324, data: {} },
      ],
    ],
    ['no chain', []],
    ['no data and no reason', [{ chain: 324, data: null }]],
    ['data that is a list', [{ chain: 324, data: [] }]],
    ['an error without a text', [{ chain: 324, data: null, errors: [{}] }]],
  ])('error: %s is a malformed response', async (_, body) => {
    api.mishaps.push({ status: 200, body: JSON.stringify(body) })
    await expect(client().data({ query })).rejects.toMatchObject({ name: 'MalformedAnswerError', retryable: false })
  })
})

describe('positions', () => {
  test('default: returns decoded positions, newest first', async () => {
    api.chains.set(324, {
      ...empty,
      positions: [position(1), position(2, { status: 'Claimed' }), position(3, { currentOwner: '0x' })],
    })
    expect(await client().positions(wallet)).toEqual([
      {
        chain: 324,
        positions: [
          expect.objectContaining({ tokenId: 2n, status: 'Claimed' }),
          {
            tokenId: 1n,
            owner,
            initialOwner: owner,
            initiator: owner,
            coupon: 401n,
            principal: 1000n * 10n ** 18n,
            lendTimestamp: 1737522000n,
            maturityTimestamp: 1739314800n,
            partnerFeeBPS: 250n,
            partnerId: `0x${'0c'.repeat(32)}`,
            status: 'Active',
            lendTransactionHash: `0x${'0d'.repeat(32)}`,
          },
        ],
      },
    ])
  })

  test.each([
    [0, 1],
    [999, 1],
    [1000, 2],
    [1001, 2],
    [3500, 4],
  ])('behavior: reads all %d positions in %d requests', async (count, requests) => {
    api.chains.set(324, { ...empty, positions: positions(count) })
    const [result] = await client().positions(wallet)
    const ids = Array.from({ length: count }, (_, index) => BigInt(count - index))
    expect(result?.positions?.map(({ tokenId }) => tokenId)).toEqual(ids)
    expect(api.requests).toHaveLength(requests)
  })

  test('behavior: reads all pages of each chain', async () => {
    api.chains.set(324, { ...empty, positions: positions(2001) })
    api.chains.set(1, { ...empty, positions: positions(3) })
    const results = await client({ chains: [1, 324] }).positions(wallet)
    expect(results.map(({ chain, positions }) => [chain, positions?.length])).toEqual([
      [1, 3],
      [324, 2001],
    ])
    const asked = api.requests.map(({ body }) => JSON.parse(body).variables.chains)
    expect(asked).toEqual([[1, 324], [324], [324]])
  })

  test('behavior: a chain without an answer has errors, and an incomplete list is not returned', async () => {
    api.chains.set(1, { code: 'upstream_failed', message: 'Gone.' })
    api.chains.set(324, { ...empty, positions: positions(1500) })
    expect(await client({ chains: [1, 324] }).positions(wallet)).toMatchObject([
      { chain: 1, positions: null, errors: [{ code: 'upstream_failed', message: 'Gone.' }] },
      { chain: 324, positions: { length: 1500 } },
    ])
    api.requests.length = 0
    api.mishapOf = () =>
      api.requests.length > 1 ? { status: 502, code: 'upstream_failed', message: 'Page two.' } : undefined
    const [only] = await client().positions(wallet)
    api.mishapOf = () => undefined
    expect(only).toMatchObject({ positions: null, errors: [{ code: 'upstream_failed', message: 'Page two.' }] })
  })

  test('behavior: all pages are those of the first answer’s block, whatever happens meanwhile', async () => {
    const first: ChainData = { ...empty, positions: positions(2500), block: 124 }
    api.chains.set(324, first)
    api.mishapOf = () => {
      // After the first page: position 7 is transferred, position 2501 opened.
      const rows = positions(2501).map((row) => (row['tokenId'] === '7' ? { ...row, currentOwner: '0x' } : row))
      if (api.requests.length > 1)
        api.chains.set(324, { ...empty, positions: rows, block: 125, history: { 124: first } })
      return undefined
    }
    const [result] = await client().positions(wallet)
    expect(result?.positions?.map(({ tokenId }) => Number(tokenId))).toEqual(descending(2500))
    expect(api.requests.map(({ body }) => JSON.parse(body).variables.block)).toEqual([undefined, 124, 124])
  })

  test('behavior: the list of an index that is incomplete says so', async () => {
    api.headers = { 'x-tallystick-chains': '324;block=5;errors=1' }
    expect(await client().positions(wallet)).toEqual([{ chain: 324, positions: [], hasErrors: true }])
  })

  test('behavior: without a stated block the remaining pages are read at the head', async () => {
    api.chains.set(324, { ...empty, positions: positions(1001) })
    api.headers = { 'x-tallystick-chains': undefined }
    const [result] = await client().positions(wallet)
    expect(result?.positions).toHaveLength(1001)
    expect(api.requests.map(({ body }) => JSON.parse(body).variables.block)).toEqual([undefined, undefined])
  })

  test('behavior: a list whose block a reorg removed is read once more', async () => {
    api.chains.set(324, { ...empty, positions: positions(1500), block: 124 })
    api.mishapOf = () => {
      if (api.requests.length === 2) api.chains.set(324, { ...empty, positions: positions(1400), block: 122 })
      return undefined
    }
    const [result] = await client().positions(wallet)
    expect(result?.positions?.map(({ tokenId }) => Number(tokenId))).toEqual(descending(1400))
    expect(api.requests.map(({ body }) => JSON.parse(body).variables.block)).toEqual([undefined, 124, undefined, 122])
  })

  test('error: a list whose block is removed twice has errors', async () => {
    api.mishapOf = () => {
      api.chains.set(324, { ...empty, positions: positions(1500), block: 200 - api.requests.length })
      return undefined
    }
    const [result] = await client().positions(wallet)
    expect(result).toMatchObject({ positions: null, errors: [{ code: 'upstream_failed' }] })
    expect(api.requests).toHaveLength(4)
  })

  test('error: a page that fails for another reason is not read again', async () => {
    api.chains.set(324, { ...empty, positions: positions(1500) })
    api.mishapOf = () => (api.requests.length > 1 ? { status: 403, code: 'invalid_api_key' } : undefined)
    const [result] = await client().positions(wallet)
    expect(result).toMatchObject({ positions: null, errors: [{ code: 'invalid_api_key' }] })
    expect(api.requests).toHaveLength(2)
  })

  test('error: a later page with errors makes the list incomplete', async () => {
    api.chains.set(324, { ...empty, positions: positions(1500) })
    const body = JSON.stringify([{ chain: 324, data: { positionInfos: [] }, errors: [{ message: 'Partial.' }] }])
    api.mishapOf = () => (api.requests.length > 1 ? { status: 200, body } : undefined)
    expect(await client().positions(wallet)).toEqual([
      { chain: 324, positions: null, errors: [{ message: 'Partial.', code: undefined }] },
    ])
  })

  test('error: rejects a list that does not descend instead of requesting it forever', async () => {
    const rows = Array.from({ length: 1000 }, () => ({ ...position(5), owner }))
    const body = JSON.stringify([{ chain: 324, data: { positionInfos: rows } }])
    api.mishaps.push({ status: 200, body })
    await expect(client().positions(wallet)).rejects.toMatchObject({ name: 'MalformedAnswerError' })
  })

  test.each([
    ['principal', '-1'],
    ['principal', 1.5],
    ['tokenId', null],
    ['currentOwner', '0x12'],
    ['partnerId', 'none'],
  ])('error: a %s of %j is rejected', async (name, value) => {
    const { currentOwner, ...row } = position(1)
    const changed = { ...row, owner: currentOwner, [name === 'currentOwner' ? 'owner' : name]: value }
    api.mishaps.push({ status: 200, body: JSON.stringify([{ chain: 324, data: { positionInfos: [changed] } }]) })
    await expect(client().positions(wallet)).rejects.toMatchObject({ code: 'malformed_answer' })
  })

  test('error: an invalid address is not requested', async () => {
    await expect(client().positions('0x12')).rejects.toMatchObject({ name: 'InvalidRequestError' })
    expect(api.requests).toEqual([])
  })
})

describe('floatingIncomes', () => {
  test.each([0, 1, 1000, 2500])('default: returns all %d days, newest first', async (count) => {
    api.chains.set(324, { ...empty, floatingIncomes: incomeDays(count) })
    const [result] = await client().floatingIncomes()
    const { lastUpdatedDay, accFloatingIncome } = floatingAccumulator(result?.days ?? [])
    expect(result?.days).toHaveLength(count)
    expect(lastUpdatedDay).toBe(count === 0 ? 0n : BigInt(20_099 + count))
    expect(accFloatingIncome(lastUpdatedDay)).toBe(40654777192457711n * BigInt(count))
    expect(accFloatingIncome(1n)).toBe(0n)
  })
})

describe('earnings', () => {
  const account = { id: owner, totalPrincipal: '9000', totalIncome: '700', totalFees: '20' }

  test('default: returns claimed income and income accrued at an instant', async () => {
    const at = 1738000000n
    const held = [position(1), position(2, { partnerFeeBPS: '0' })]
    const claimed = position(3, { status: 'Claimed' })
    api.chains.set(324, {
      positions: [...held, claimed],
      floatingIncomes: incomeDays(15),
      accounts: { [owner]: account },
    })
    const [result] = await client().earnings(wallet, { at })

    const terms = {
      principal: 1000n * 10n ** 18n,
      coupon: 401n,
      lendTimestamp: 1737522000n,
      maturityTimestamp: 1739314800n,
    }
    const days = incomeDays(15).map(({ day, accFloatingIncome }) => ({
      day: BigInt(day as number),
      accFloatingIncome: BigInt(accFloatingIncome as string),
    }))
    const fixed = fixedIncome(terms, at)
    const floating = floatingIncome(terms, { instantSeconds: at, ...floatingAccumulator(days) })
    expect(floating).toBeGreaterThan(0n)
    const fees = ((fixed + floating) * 250n) / 10_000n
    expect(result).toEqual({
      chain: 324,
      earnings: {
        claimed: { income: 700n, fees: 20n, net: 680n },
        accrued: { fixed: 2n * fixed, floating: 2n * floating, fees, net: 2n * (fixed + floating) - fees },
        activePositions: 2,
        activePrincipal: 2000n * 10n ** 18n,
        totalPrincipal: 9000n,
        at,
      },
    })
    expect(api.requests).toHaveLength(1)
  })

  test('behavior: uses the service’s time by default', async () => {
    const [result] = await client().earnings(wallet)
    expect(result?.earnings?.at).toBe(BigInt(morning / 1000))
  })

  test('behavior: an unknown wallet has earned nothing', async () => {
    const [result] = await client().earnings(wallet)
    expect(result?.earnings).toMatchObject({ claimed: { net: 0n }, accrued: { net: 0n }, activePositions: 0 })
  })

  test('behavior: more than 1,000 positions and days are counted', async () => {
    api.chains.set(324, { positions: positions(1500), floatingIncomes: incomeDays(1200), accounts: {} })
    const [result] = await client().earnings(wallet, { at: 1738000000n })
    expect(result?.earnings).toMatchObject({ activePositions: 1500, activePrincipal: 1500n * 1000n * 10n ** 18n })
    expect(api.requests).toHaveLength(3)
  })

  test('behavior: positions and days beyond one page are those of the first answer’s block', async () => {
    const accounts = { [owner]: account }
    const first: ChainData = { positions: positions(1500), floatingIncomes: incomeDays(1200), accounts, block: 124 }
    api.chains.set(324, first)
    const held = await client().earnings(wallet, { at: 1738000000n })
    api.requests.length = 0
    api.mishapOf = () => {
      // After the first answer position 3 is claimed and all days are restated.
      const changed = {
        positions: positions(1500).map((row) => (row['tokenId'] === '3' ? { ...row, status: 'Claimed' } : row)),
        floatingIncomes: incomeDays(1200).map((row) => ({ ...row, accFloatingIncome: '0' })),
        accounts: { [owner]: { ...account, totalIncome: '999' } },
      }
      if (api.requests.length > 1) api.chains.set(324, { ...changed, block: 125, history: { 124: first } })
      return undefined
    }
    expect(await client().earnings(wallet, { at: 1738000000n })).toEqual(held)
    expect(api.requests.map(({ body }) => JSON.parse(body).variables.block)).toEqual([undefined, 124, 124])
  })

  test('behavior: earnings whose block a reorg removed are read once more, account included', async () => {
    api.chains.set(324, { ...empty, positions: positions(1500), accounts: { [owner]: account }, block: 124 })
    api.mishapOf = () => {
      const accounts = { [owner]: { ...account, totalIncome: '900' } }
      if (api.requests.length === 2) api.chains.set(324, { ...empty, positions: positions(1400), accounts, block: 122 })
      return undefined
    }
    const [result] = await client().earnings(wallet)
    expect(result?.earnings).toMatchObject({ claimed: { income: 900n }, activePositions: 1400 })
  })

  test('behavior: a chain whose subgraph has no accounts has errors', async () => {
    api.chains.set(1, { code: 'query_rejected', message: 'Type `Query` has no field `account`' })
    const results = await client({ chains: [1, 324] }).earnings(wallet)
    expect(results).toMatchObject([
      { chain: 1, earnings: null, errors: [{ code: 'query_rejected' }] },
      { chain: 324, earnings: { activePositions: 0 } },
    ])
  })
})
