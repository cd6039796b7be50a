// @module-tag server

import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { request } from 'node:https'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { errorBodySchema } from '@tallystick/core'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPostData, type PostData } from './data-client.ts'
import { startFailingServer } from './failing-servers.ts'
import { failureNames, failures } from './failures.ts'
import { type FakeSubgraph, headAt, startFakeSubgraph } from './fake-subgraph.ts'
import { createDeferrals, createKey, newDatabase, pool, start, type TestService } from './harness.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const { defer, finish } = createDeferrals()
const ids = [324, 10, 1]
const query = '{ positionInfos { id } }'
const patientMs = 30_000
/** Timeout for upstreams that hang. */
const hastyMs = 3_000
/** Timeout for 1,000 queries that hang. */
const impatientMs = 200
let fakes: FakeSubgraph[]
let databaseUrl: string
let service: TestService
let hasty: TestService
let post: PostData
let postHastily: PostData

/** Starts a service whose chains have these subgraph URLs. */
async function startWith(
  urls: ReadonlyMap<number, string>,
  {
    deferring = defer,
    rpc = [],
    ...data
  }: {
    readonly timeoutMs: number
    readonly pollMs?: number
    readonly deferring?: typeof defer
    readonly rpc?: readonly string[]
  },
): Promise<TestService> {
  // One note per chain, because signing takes most of the start-up time with many chains.
  const notes = { tenors: [7] }
  const chains = [...urls].map(([id, url]) => ({ id, name: 'chain', pool, rpc, subgraph: { urls: [url] } }))
  return start(
    {
      databaseUrl,
      curve: { 7: 369 },
      config: { ...notes, chains, data: { ...data, hedgeMs: null, answerBytesMax: 65_536 } },
    },
    deferring,
  )
}

beforeAll(async () => {
  databaseUrl = await newDatabase('postgres', defer)
  fakes = await Promise.all(
    ids.map((id) =>
      startFakeSubgraph({ answer: () => ({ positionInfos: [{ id: `of ${id}` }] }), head: headAt(id) }, defer),
    ),
  )
  const urls = new Map(fakes.map(({ url }, index) => [ids[index] as number, url]))
  service = await startWith(urls, { timeoutMs: patientMs })
  // Polls four times as often as by default, so that a new head is known soon.
  hasty = await startWith(urls, { timeoutMs: hastyMs, pollMs: 500 })
  post = await createPostData(service)
  postHastily = await createPostData(hasty)
  return finish
})
beforeEach(() => {
  for (const fake of fakes) fake.behave(undefined)
})

const dataOf = (id: number) => ({ chain: id, data: { positionInfos: [{ id: `of ${id}` }] } })
const hang = () => undefined
/** Makes each query different, so that none is answered from the cache. */
let asked = 0
const fresh = () => `{ positionInfos(first: ${++asked}) { id } }`

describe('chains', () => {
  test('default: returns the chains in the requested order, with block and lag of each', async () => {
    for (const chains of [[324, 10, 1], [1, 324], [10]]) {
      const answer = await post({ query, variables: { chains } })
      expect(answer.json()).toEqual(chains.map(dataOf))
      const heads = chains.map((chain) => `${chain};block=${chain};lag=\\d+;source=remote`).join(', ')
      expect(answer.headers['x-tallystick-chains']).toMatch(new RegExp(`^${heads}$`))
    }
  })

  test('behavior: a subgraph never receives `chains`, declared or not', async () => {
    const asking = 'query Q($chains: [Int!]!, $w: ID) { positionInfos(where: { id: $w }) { id } }'
    const answer = await post({ query: asking, variables: { chains: [324, 1], w: '1' } })
    expect(answer.json()).toEqual([dataOf(324), dataOf(1)])
    for (const fake of [fakes[0], fakes[2]]) {
      const { query: sent, variables } = fake?.queries().at(-1) ?? {}
      expect([sent, variables]).toEqual([expect.not.stringContaining('chains'), { w: '1' }])
      expect(sent).toMatch(/^query Q\( +, \$w: ID\) \{/)
    }
  })

  test('behavior: a chain that hangs takes no longer than its deadline, and the others’ data is returned', async () => {
    fakes[1]?.behave(hang)
    const started = performance.now()
    const answer = await postHastily({ query: fresh(), variables: { chains: [10, 324, 1] } })
    expect(performance.now() - started).toBeLessThan(patientMs)
    expect(answer.status).toBe(200)
    expect(answer.json()).toEqual([
      {
        chain: 10,
        data: null,
        errors: [{ code: 'upstream_timeout', message: expect.any(String), details: { failure: 'slow_headers' } }],
      },
      dataOf(324),
      dataOf(1),
    ])
    expect(answer.headers['x-tallystick-chains']).toMatch(
      /^324;block=324;lag=\d+;source=remote, 1;block=1;lag=\d+;source=remote$/,
    )
  })

  test('error: responds 400 if all chains reject, 504 if all time out, otherwise 502, with the error of each chain', async () => {
    const reject = ({ response }: { response: import('node:http').ServerResponse }) =>
      response.setHeader('content-type', 'application/json').end('{"errors":[{"message":"bad query: no field x"}]}')
    const reset = ({ response }: { response: import('node:http').ServerResponse }) => response.destroy()
    const cases = [
      [[reject, reject], 400, 'query_rejected'],
      [[hang, hang], 504, 'upstream_timeout'],
      [[reset, hang], 502, 'upstream_failed'],
      [[reject, hang], 502, 'upstream_failed'],
    ] as const
    // At the same time, because most of them hang: each case has its own query, by which the upstreams choose.
    const asked = cases.map((one) => ({ one, query: fresh() }))
    for (const index of [0, 1]) {
      fakes[index]?.behave((exchange) => {
        const first = /first: \d+/.exec(exchange.request.query)?.[0] ?? 'none'
        return asked.find(({ query }) => query.includes(`(${first})`))?.one[0][index]?.(exchange)
      })
    }
    await Promise.all(
      asked.map(async ({ one: [, status, code], query }) => {
        const answer = await postHastily({ query, variables: { chains: [324, 10] } })
        const body = errorBodySchema.parse(answer.json())
        expect([answer.status, body.code]).toEqual([status, code])
        expect(body.details).toMatchObject({ chains: [{ chain: 324 }, { chain: 10 }] })
        expect(body.message).toMatch(/^Chain 324: .* Chain 10: /)
      }),
    )
  })
})

test('error: each upstream failure is reported on its chain, and the other chain’s data is returned', {
  tags: 'slow',
}, async () => {
  const { defer: deferHere, finish: finishHere } = createDeferrals()
  onTestFinished(finishHere)
  const isSlow = (name: (typeof failureNames)[number]) => failures[name].failure.startsWith('slow_')
  /** Starts a service with the upstreams that have these failures. */
  const startFailing = async (names: typeof failureNames, timeoutMs: number) => {
    const bad = await Promise.all(names.map((name) => startFailingServer(name, deferHere)))
    const urls = new Map([[324, fakes[0]?.url ?? ''], ...bad.map(({ url }, index) => [1_000 + index, url] as const)])
    // With an RPC, even one that is down, the service does not read the pools from the indexes. Those failures would open
    // the circuits.
    const rpc = ['http://127.0.0.1:1']
    return createPostData(await startWith(urls, { timeoutMs, deferring: deferHere, rpc }))
  }
  const slowNames = failureNames.filter(isSlow)
  const otherNames = failureNames.filter((name) => !isSlow(name))
  const askSlow = await startFailing(slowNames, 3 * hastyMs)
  // On a slow machine too, only those that are slow themselves time out.
  const askOther = await startFailing(otherNames, 30_000)
  const check = async (name: (typeof failureNames)[number]) => {
    const { failure } = failures[name]
    const ask = isSlow(name) ? askSlow : askOther
    const chain = 1_000 + (isSlow(name) ? slowNames : otherNames).indexOf(name)
    const askAlone = () => ask({ query: fresh(), variables: { chains: [chain] } })
    const [answer, early] = await Promise.all([
      ask({ query, variables: { chains: [chain, 324] } }),
      isSlow(name) ? askAlone() : undefined,
    ])
    const [failed, good] = answer.json()
    expect([name, answer.status, good]).toEqual([name, 200, dataOf(324)])
    expect([name, failed.data, failed.errors?.length]).toEqual([name, null, 1])
    const [{ code, details, message }] = failed.errors
    expect([name, details?.failure ?? code]).toEqual([name, failure])
    expect(message).not.toMatch(/127\.0\.0\.1|localhost|https?:/)
    const alone = early ?? (await askAlone())
    const status = { query_rejected: 400, upstream_timeout: 504, upstream_failed: 502 }[code as string]
    expect([name, alone.status]).toEqual([name, status])
  }
  await Promise.all(failureNames.map(check))
})

describe('single flight and cache', () => {
  const countJoined = async () =>
    Number(
      /^tallystick_data_cache_total\{chain="324",result="coalesced"\} (\d+)$/m.exec(
        (await service.admin('/metrics')).body,
      )?.[1],
    )

  /** Sends a body many times at once and returns the statuses. HTTP/2 needs few connections for that. */
  async function postAtOnce(count: number, body: object): Promise<readonly number[]> {
    const { secret } = await createKey(service, { scopes: ['data'] })
    // The service accepts 100 streams per connection.
    const sessions = Array.from({ length: Math.ceil(count / 100) }, () =>
      connectHttp2(service.baseUrl, { ca: service.ca }),
    )
    const headers = { ':method': 'POST', ':path': '/data', 'content-type': 'application/json', 'x-api-key': secret }
    const statuses = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const stream = sessions[index % sessions.length]?.request(headers).end(JSON.stringify(body)).resume()
        const [answer] = await once(stream as NonNullable<typeof stream>, 'response')
        return answer[constants.HTTP2_HEADER_STATUS]
      }),
    )
    for (const session of sessions) session.destroy()
    return statuses
  }

  test('default: 1,000 identical queries at the same time cause one upstream query', async () => {
    const before = fakes[0]?.queries().length ?? 0
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    fakes[0]?.behave(async ({ answerWell }) => {
      await held
      answerWell()
    })
    const joinedBefore = await countJoined()
    const all = postAtOnce(1_000, { query: fresh(), variables: { chains: [324] } })
    // Held until all have arrived.
    await expect.poll(async () => (await countJoined()) - joinedBefore).toBe(999)
    release()
    const statuses = await all
    expect(statuses.filter((status) => status === 200)).toHaveLength(1_000)
    expect((fakes[0]?.queries().length ?? 0) - before).toBe(1)
  })

  test('behavior: a new block and a reorg at the same height invalidate the cache', async () => {
    const body = { query: fresh(), variables: { chains: [324] } }
    const blockOf = async () => (await postHastily(body)).headers['x-tallystick-chains']
    expect(await blockOf()).toContain('block=324;')
    fakes[0]?.setHead(headAt(325))
    await expect.poll(blockOf).toContain('block=325;')
    const queriesOf = async () => {
      const before = fakes[0]?.queries().length ?? 0
      await postHastily(body)
      return (fakes[0]?.queries().length ?? 0) - before
    }
    // Polled, because the known head may still be the old one.
    await expect.poll(queriesOf).toBe(0)
    const before = fakes[0]?.queries().length
    fakes[0]?.setHead({ hash: `0x${'f'.repeat(64)}` })
    await expect
      .poll(async () => {
        await postHastily(body)
        return fakes[0]?.queries().length
      })
      .toBeGreaterThan(before ?? 0)
  })

  test('behavior: counts hits, misses, joins and upstream outcomes, and logs no variables', async () => {
    const secretVariable = '0xdeadbeef00000000000000000000000000000001'
    const asking = 'query Mine($w: Bytes!) { positionInfos(where: { currentOwner: $w }) { id } }'
    fakes[0]?.behave(({ response }) => response.destroy())
    await post({ query: asking, variables: { chains: [324], w: secretVariable } })
    fakes[0]?.behave(undefined)
    const again = { query: fresh(), variables: { chains: [324] } }
    const countHits = async () => {
      await post(again)
      return (await service.admin('/metrics')).body
    }
    await expect.poll(countHits).toMatch(/tallystick_data_cache_total\{chain="324",result="hit"\} [1-9]/)
    const metrics = (await service.admin('/metrics')).body
    for (const result of ['hit', 'miss', 'coalesced']) {
      expect(metrics).toMatch(new RegExp(`tallystick_data_cache_total{chain="324",result="${result}"} [1-9]`))
    }
    expect(metrics).toMatch(/tallystick_data_upstream_total\{chain="324",upstream="127[^"]*",outcome="ok"\} [1-9]/)
    expect(metrics).toMatch(/tallystick_data_circuit\{chain="324",upstream="127[^"]*"\} 0/)
    expect(metrics).toMatch(/tallystick_data_remote_head_block\{chain="324",upstream="127[^"]*"\} 325/)
    expect(service.log()).toContain('remote subgraph request failed')
    expect(service.log()).not.toContain('deadbeef')
  })
})

describe('deadlines', () => {
  test('behavior: a caller that disconnects cancels the upstream query', async () => {
    const { secret } = await createKey(service)
    fakes[0]?.behave(hang)
    const before = fakes[0]?.queries().length ?? 0
    const body = JSON.stringify({ query: fresh(), variables: { chains: [324] } })
    const headers = { 'content-type': 'application/json', 'x-api-key': secret }
    const outgoing = request(`${service.baseUrl}/data`, { method: 'POST', ca: service.ca, headers, agent: false })
    outgoing.on('error', () => undefined).end(body)
    await expect.poll(() => fakes[0]?.queries().length).toBe(before + 1)
    const left = performance.now()
    outgoing.destroy()
    await fakes[0]?.queries().at(-1)?.closed
    expect(performance.now() - left).toBeLessThan(patientMs / 2)
  })

  test('behavior: 1,000 different queries to an upstream that hangs end in time and leak nothing', {
    tags: 'slow',
  }, async () => {
    fakes[0]?.behave(hang)
    const impatient = await startWith(new Map([[324, fakes[0]?.url ?? '']]), { timeoutMs: impatientMs })
    const postImpatiently = await createPostData(impatient)
    const sizes: number[] = []
    const bodies = Array.from({ length: 1_000 }, (_, index) =>
      JSON.stringify({
        query: `{ positionInfos(first: ${index + 1}) { id } } # ${'x'.repeat(10_000)}`,
        variables: { chains: [324] },
      }),
    )
    const few = bodies.slice(0, 300)
    // The first round fills the caches.
    for (const round of [bodies, few, few]) {
      const started = performance.now()
      const answers = await Promise.all(round.map((body) => postImpatiently(body)))
      expect(performance.now() - started).toBeLessThan(60_000)
      for (const { status } of answers) expect(status).toBeOneOf([502, 504])
      collectGarbage()
      sizes.push(process.memoryUsage().heapUsed)
    }
    const metrics = (await impatient.admin('/metrics')).body
    expect(metrics).toContain('tallystick_data_queries_waiting{chain="324"} 0')
    // For each of the three services.
    await expect.poll(() => fakes[0]?.openConnections()).toBeLessThanOrEqual(3 * 66)
    // 300 leaked bodies of 10 KB would be at least 3 MB.
    expect((sizes[2] ?? 0) - (sizes[1] ?? 0)).toBeLessThan(1_500_000)
  })
})
