// @module-tag server

import { TallystickError } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import { namespaceOf } from '@tallystick/gateway'
import { type EntityChange, graphqlSchemaOf, openSubgraph, protocolSchema, type Subgraph } from '@tallystick/subgraph'
import type { FastifyInstance } from 'fastify'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { respond, startFakeSubgraph } from '../../../packages/service/test/fake-subgraph.ts'
import { chain324, createDeferrals, newDatabase, pool } from '../../../packages/service/test/harness.ts'
import { buildSubgraphApp } from '../../../packages/service/test/subgraph-app.ts'
import { compareSources } from '../src/compare/compare-sources.ts'
import { type ComparedSource, createIndexSource, createUrlSource } from '../src/compare/compared-source.ts'
import { prepareSite, type Site, tallystick } from './process.ts'

const namespace = namespaceOf({ id: 324, domain: { verifyingContract: pool } })
const positions = '0x0000000000000000000000000000000000000abc'
const hex = (value: number, bytes: number) => `0x${value.toString(16).padStart(bytes * 2, '0')}`
const blockAt = (number: number, fork = 0) => ({
  ...{ number, timestamp: 1_800_000_000 + number },
  ...{ hash: hex(number + fork, 32), parentHash: hex(number - 1 + (number - 1 > 40 ? fork : 0), 32) },
})

/** Changes of a block: a new position, the sums of its holder, and now and then a claim. */
function changesAt(number: number): EntityChange[] {
  const id = String(number)
  const account = hex(number % 7, 20)
  const partner = number % 3 === 0 ? hex(number % 2, 32) : null
  const principal = String(10n ** 18n * BigInt(number % 11))
  const amounts = { activePrincipal: principal, totalPrincipal: principal, totalIncome: '0', totalFees: '0' }
  const claim = { status: 'Claimed', claimTimestamp: String(number), totalIncome: '7', fee: '1' }
  return [
    {
      entity: 'Account',
      id: account,
      set: {
        ...amounts,
        activePositions: number % 5,
        denylisted: number % 4 === 0,
        denylistedBy: number % 4 === 0 ? [hex(9, 20)] : [],
      },
    },
    ...(partner
      ? [
          {
            entity: 'Partner',
            id: partner,
            set: { owner: account, vault: account, feeBPS: '100', activePrincipal: principal, totalFees: '0' },
          },
        ]
      : []),
    {
      entity: 'PositionInfo',
      id,
      set: {
        ...{
          tokenId: id,
          currentOwner: account,
          initalOwner: account,
          initiator: account,
          coupon: String(300 + (number % 4)),
        },
        ...{ principal, lendTimestamp: id, maturityTimestamp: String(number * 2), partnerFeeBPS: '100' },
        ...{
          partnerId: partner ?? hex(0, 32),
          status: 'Active',
          lendTransactionHash: hex(number, 32),
          account,
          partner,
          pool: pool.toLowerCase(),
        },
      },
    },
    ...(number % 4 === 0 && number > 4 ? [{ entity: 'PositionInfo', id: String(number - 3), set: claim }] : []),
    { entity: 'FloatingIncome', id, set: { day: number, floatingIncome: '1', accFloatingIncome: id, updatedAt: id } },
    {
      entity: 'ProtocolDay',
      id,
      set: {
        day: number,
        lent: principal,
        claimed: '0',
        income: '0',
        positionsOpened: 1,
        positionsClosed: 0,
        activePrincipal: principal,
      },
    },
    {
      entity: 'Pool',
      id: pool.toLowerCase(),
      set: {
        paused: false,
        positionTokenPaused: number % 2 === 0,
        activePositions: number,
        ...amounts,
        lastFloatingIncomeDay: number,
        minLendLimit: number > 20 ? '5' : null,
      },
    },
  ]
}

const openIndex = async (database: Database, name: string) =>
  openSubgraph({ database, schema: protocolSchema, namespace: name })
const fill = (subgraph: Subgraph, from: number, to: number) =>
  subgraph.commitMany(
    Array.from({ length: to - from + 1 }, (_, index) => ({
      block: blockAt(from + index),
      changes: changesAt(from + index),
    })),
  )

let database: Database
let site: Site
let reference: Subgraph
let names = 0

/** Opens another index with the same 40 blocks, and serves it. */
async function openOther(): Promise<{
  readonly index: Subgraph
  readonly url: string
  readonly source: ComparedSource
}> {
  names += 1
  const index = await openIndex(database, `other_${names}`)
  await fill(index, 1, 40)
  const app: FastifyInstance = buildSubgraphApp(index, { schema: protocolSchema })
  onTestFinished(() => app.close())
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/subgraphs/324`
  return { index, url, source: createUrlSource({ name: 'other', url, headers: {} }) }
}

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  const databaseUrl = await newDatabase('postgres', defer)
  database = await openDatabase(databaseUrl)
  defer(() => database.close())
  reference = await openIndex(database, namespace)
  await fill(reference, 1, 40)
  const subgraph = { embedded: { positions, startBlock: 1 } }
  site = await prepareSite({
    databaseUrl,
    config: { chains: [{ ...chain324, rpc: ['http://127.0.0.1:1'], subgraph }] },
  })
  return finish
})

const compare = (...options: string[]) =>
  tallystick(site, 'data', 'compare', '--chain', '324', '--seed', '1', ...options)
const schema = graphqlSchemaOf(protocolSchema)
const options = {
  schema,
  queries: 52,
  seed: 1,
  startBlock: 1,
  onProgress: () => undefined,
  wait: async () => undefined,
}
const ownSource = () => createIndexSource(reference, async () => undefined)

describe('tallystick data compare', () => {
  test('default: two equal subgraphs have no differences, and almost every query has a result', async () => {
    const { url } = await openOther()
    const { exitCode, stdout, stderr } = await compare('--queries', '100', '--url', url, '--json')
    expect([exitCode, stderr]).toEqual([0, ''])
    const { seed, comparisons } = JSON.parse(stdout)
    expect(seed).toBe(1)
    expect(comparisons).toEqual([
      {
        sources: ['embedded', new URL(url).host],
        ...{ block: 40, common: { number: 40, hash: hex(40, 32) } },
        ...{ queries: 100, differing: 0, differences: [], rejected: 0 },
      },
    ])
  })

  test('default: one changed value is found with its path and both values, and the same seed sends the same queries', {
    tags: 'slow',
  }, async () => {
    const { index, url } = await openOther()
    await index.revert(39)
    const wrong = { entity: 'PositionInfo', id: '23', set: { principal: '5' } }
    await index.commit(blockAt(40), [...changesAt(40), wrong])
    const first = await compare('--url', url, '--queries', '30')
    expect(first.exitCode).toBe(1)
    expect(first.stdout).toMatch(
      /^embedded and 127\.0\.0\.1:\d+, at block 40 \(both have block 40 with the hash 0x0{62}28\)\n/,
    )
    expect(first.stdout).toMatch(
      /data\.(\w+: )?positionInfos\[\d+\]\.principal\n {4}embedded: "1000000000000000000"\n {4}127\.0\.0\.1:\d+: "5"\n/,
    )
    expect((await compare('--url', url, '--queries', '30')).stdout).toBe(first.stdout)
    // In the past both are equal.
    expect((await compare('--url', url, '--block', '39', '--queries', '30')).exitCode).toBe(0)
  })

  test('behavior: different heads are compared at the lower one, or at an earlier block', {
    tags: 'slow',
  }, async () => {
    const { index, url } = await openOther()
    await fill(index, 41, 45)
    const lower = await compare('--url', url, '--queries', '30')
    expect([lower.exitCode, lower.stdout]).toEqual([0, expect.stringContaining('at block 40 (both have block 40')])
    const earlier = await compare('--url', url, '--queries', '30', '--block', '17')
    expect([earlier.exitCode, earlier.stdout]).toEqual([0, expect.stringContaining('at block 17 (both have block 40')])
    const future = await compare('--url', url, '--block', '41')
    expect([future.exitCode, future.stdout]).toEqual([
      2,
      expect.stringContaining('Block 41 is not indexed yet: embedded is at block 40. Give an earlier one.'),
    ])
  })

  test('error: another hash at the same block is not compared', async () => {
    const { index, url } = await openOther()
    await index.revert(39)
    await index.commit({ ...blockAt(40), hash: hex(99, 32) }, changesAt(40))
    const { exitCode, stdout } = await compare('--url', url)
    expect(exitCode).toBe(2)
    expect(stdout).toMatch(
      /^NOT COMPARED {2}embedded and .*: Block 40 of embedded has the hash 0x\w+, which 127\.0\.0\.1:\d+ does not have\./,
    )
  })

  test('error: a chain with one source, an unknown chain and an unset variable', async () => {
    const alone = await compare()
    expect([alone.exitCode, alone.stdout]).toEqual([2, expect.stringContaining('Chain 324 has one subgraph.')])
    const unknown = await tallystick(site, 'data', 'compare', '--chain', '5')
    expect([unknown.exitCode, unknown.stdout]).toEqual([2, expect.stringContaining('has no chain 5. It has 324.')])
    const unset = await compare('--url', 'env:OTHER_URL')
    expect([unset.exitCode, unset.stderr]).toEqual([2, expect.stringContaining('OTHER_URL is not set')])
  })
})

describe('sources that cannot be compared', () => {
  const fails = (source: ComparedSource) => compareSources([ownSource(), source], options)

  test('error: nothing listens: named without its URL, after several attempts', async () => {
    const url = 'http://127.0.0.1:1/secret-key'
    const error = await fails(createUrlSource({ name: 'gone', url, headers: {} })).catch((thrown) => thrown)
    expect(error).toMatchObject({
      name: 'UnusableSourceError',
      message: 'gone failed: cannot be reached (ECONNREFUSED)',
    })
  })

  test.each([
    ['a text', ({ response }) => response.end('<html>')],
    ['a body without end', ({ response }) => response.setHeader('content-type', 'application/json').end('{"data":')],
    ['a body that is too large', ({ response }) => response.end(Buffer.alloc(9 * 1024 * 1024, 32))],
    ['a redirect', ({ response }) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ] as const satisfies [string, Parameters<Awaited<ReturnType<typeof startFakeSubgraph>>['behave']>[0]][])(
    'error: %s',
    async (_, misbehaviour) => {
      const fake = await startFakeSubgraph()
      fake.behave(misbehaviour)
      const error = await fails(createUrlSource({ name: 'odd', url: fake.url, headers: {} })).catch((thrown) => thrown)
      expect(error).toMatchObject({ name: 'UnusableSourceError', message: expect.stringMatching(/^odd failed: /) })
      expect(fake.requests.length).toBeLessThanOrEqual(8)
    },
  )

  test('error: a source that always limits requests is given up, and one that does so for a while is waited for', async () => {
    const fake = await startFakeSubgraph()
    fake.behave(({ response }) => response.writeHead(429, { 'retry-after': '60' }).end())
    const waits: number[] = []
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
    }
    const busy = createUrlSource({ name: 'busy', url: fake.url, headers: {} })
    const error = await compareSources([ownSource(), busy], { ...options, wait }).catch((thrown) => thrown)
    expect(error.message).toBe('busy failed: The rate limit of the chain’s subgraph is reached. Try again later.')
    expect(waits).toEqual(Array.from({ length: 10 }, () => 60_000))
    const { source } = await openOther()
    let asked = 0
    const strict: ComparedSource = {
      ...source,
      ask: async (query) => {
        asked += 1
        if (asked % 7 > 0) throw new TallystickError({ ...limit, retryAfterSeconds: 0 })
        return source.ask(query)
      },
    }
    const limit = { code: 'upstream_failed', message: 'limited', retryable: true } as const
    expect(await compareSources([ownSource(), strict], { ...options, queries: 8 })).toMatchObject({ differing: 0 })
  })

  test.each([
    [{ data: { _meta: null } }],
    [{ data: { _meta: { block: { number: '40', hash: 7 } } } }],
    [{ data: { _meta: { block: { number: 40, hash: '"}) { x' } } } }],
    [{ errors: [{ message: 'no such field' }] }],
  ])('error: %j instead of a head', async (body) => {
    const fake = await startFakeSubgraph()
    fake.behave(respond(body))
    const compared = fails(createUrlSource({ name: 'odd', url: fake.url, headers: {} }))
    await expect(compared).rejects.toThrow(/^odd does not report its newest block/)
  })

  test('error: results of another form are differences, and are bounded', { tags: 'slow' }, async () => {
    const rows = Array.from({ length: 500 }, () => ({ id: ['x'.repeat(500)] }))
    const odd: ComparedSource = {
      name: 'odd',
      ask: async (query) => {
        if (query.includes('_meta')) return ownSource().ask(query)
        return { data: JSON.parse(`{"__proto__": 1, "positionInfos": ${JSON.stringify(rows)}}`) }
      },
      close: async () => undefined,
    }
    const compared = await compareSources([ownSource(), odd], options)
    expect(compared).toMatchObject({ queries: 52, differing: 52, listed: { length: 50 } })
    expect(JSON.stringify(compared).length).toBeLessThan(600_000)
    // The reference may be the odd one, too.
    expect(await compareSources([odd, ownSource()], options)).toMatchObject({ differing: 52 })
  })
})

test('behavior: a reorg during the queries starts again at another block', { tags: 'slow' }, async () => {
  const { index, source } = await openOther()
  const own = await openIndex(database, `reorganized_${names}`)
  await fill(own, 1, 40)
  let asked = 0
  const moving: ComparedSource = {
    ...createIndexSource(own, async () => undefined),
    ask: async (query) => {
      asked += 1
      if (asked === 30) {
        for (const one of [own, index]) {
          await one.revert(39)
          await one.commit({ ...blockAt(40), hash: hex(99, 32) }, [])
        }
      }
      return createIndexSource(own, async () => undefined).ask(query)
    },
  }
  expect(await compareSources([moving, source], options)).toMatchObject({
    ...{ block: { number: 40, commonHash: hex(99, 32) }, queries: 52, differing: 0 },
  })
})
